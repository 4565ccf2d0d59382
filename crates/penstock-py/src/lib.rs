//! The Python module `penstock._native`.
