//! Tables that the documentation shows, measured: `docs/data/*.csv`. `make measured` writes them.

mod responses;
mod senders;
mod table;
