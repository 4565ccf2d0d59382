//! Vegas.
use super::Law;
use super::reno::Reno;
use crate::machine::Machine;
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug, Default)]
pub(crate) struct Vegas;

impl Law for Vegas {
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        Reno.on_ack(m, now, ack, net);
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        Reno.on_timeout(m, now, net);
    }
}
