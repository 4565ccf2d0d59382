//! TCP senders and receivers.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
