//! The list of congestion controls, and the choice of one by the parameters of a flow.

use super::CongestionControl;
use super::bbr::Bbr;
use super::bbr3::Bbr3;
use super::cubic::Cubic;
use super::dctcp::Dctcp;
use super::hystart_plus::RenoHyStartPlus;
use super::ledbat::Ledbat;
use super::newreno::NewReno;
use super::prague::Prague;
use super::rack_tlp::Rack;
use super::reno::Reno;
use super::sack::Sack;
use super::sack_ns2::Pipe;
use super::tahoe::Tahoe;
use super::vegas::Vegas;
use super::window_control::RenoWindow;
use crate::packets_and_acks::{Ack, PacketSink};
use crate::params::{Flavour, Hystart, TcpParams};
use crate::recovery::RecoveryRules;
use crate::state::SenderState;
use alloc::boxed::Box;
use penstock_core::Time;

/// Defines [`AnyCongestionControl`], an enum with one variant per congestion control, whose methods call those of the variant.
macro_rules! controls {
    ($($name:ident($control:ty),)+) => {
        /// A congestion control, dispatched statically.
        #[derive(Debug)]
        pub(crate) enum AnyCongestionControl { $($name($control)),+ }

        impl CongestionControl for AnyCongestionControl {
            fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.fill(s, now, net)),+ }
            }

            #[inline]
            fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
                // Tested before the jump table of the variants, which saves 0.7 % of the instructions of W2.
                if let Self::Pipe(control) = self {
                    return control.on_ack(s, now, ack, net);
                }
                match self { $(Self::$name(control) => control.on_ack(s, now, ack, net)),+ }
            }

            fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.on_timeout(s, now, net)),+ }
            }

            fn on_probe<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.on_probe(s, now, net)),+ }
            }

            fn on_pace<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.on_pace(s, now, net)),+ }
            }

            fn on_write<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.on_write(s, now, net)),+ }
            }

            fn on_idle<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
                match self { $(Self::$name(control) => control.on_idle(s, now, net)),+ }
            }

            fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$name(control) => control.gauges(show)),+ }
            }
        }
    };
}

// Congestion controls with a scoreboard have two variants: they detect losses by counting ACKs (RFC 6675) or by time
// (RFC 8985).
controls! {
    Tahoe(Tahoe),
    Reno(Reno),
    NewReno(NewReno),
    Pipe(Pipe),
    Vegas(Box<Vegas>),
    Sack(Box<Sack<RenoWindow>>),
    SackRack(Box<Rack<RenoWindow>>),
    SackHyStartPlus(Box<Sack<RenoHyStartPlus>>),
    SackHyStartPlusRack(Box<Rack<RenoHyStartPlus>>),
    Cubic(Box<Sack<Cubic>>),
    CubicRack(Box<Rack<Cubic>>),
    Dctcp(Box<Sack<Dctcp>>),
    DctcpRack(Box<Rack<Dctcp>>),
    Prague(Box<Sack<Prague>>),
    PragueRack(Box<Rack<Prague>>),
    Bbr(Box<Sack<Bbr>>),
    BbrRack(Box<Rack<Bbr>>),
    Bbr3(Box<Rack<Bbr3>>),
    Ledbat(Box<Sack<Ledbat>>),
    LedbatRack(Box<Rack<Ledbat>>),
}

impl AnyCongestionControl {
    /// The congestion control that these parameters name.
    pub(crate) fn new(params: &TcpParams) -> Self {
        match (params.flavour, params.rack) {
            (Flavour::Tahoe, _) => Self::Tahoe(Tahoe),
            (Flavour::Reno, _) => Self::Reno(Reno),
            (Flavour::NewReno, _) => Self::NewReno(NewReno::default()),
            (Flavour::Sack, _) if params.recovery == RecoveryRules::Ns2 => Self::Pipe(Pipe::default()),
            (Flavour::Sack, false) if params.hystart == Hystart::Plus => Self::SackHyStartPlus(Box::default()),
            (Flavour::Sack, true) if params.hystart == Hystart::Plus => Self::SackHyStartPlusRack(Box::default()),
            (Flavour::Sack, false) => Self::Sack(Box::default()),
            (Flavour::Sack, true) => Self::SackRack(Box::default()),
            (Flavour::Vegas, _) => Self::Vegas(Box::default()),
            (Flavour::Cubic, false) => Self::Cubic(Box::default()),
            (Flavour::Cubic, true) => Self::CubicRack(Box::default()),
            (Flavour::Dctcp, false) => Self::Dctcp(Box::default()),
            (Flavour::Dctcp, true) => Self::DctcpRack(Box::default()),
            (Flavour::Prague, false) => Self::Prague(Box::default()),
            (Flavour::Prague, true) => Self::PragueRack(Box::default()),
            (Flavour::Bbr, false) => Self::Bbr(Box::default()),
            (Flavour::Bbr, true) => Self::BbrRack(Box::default()),
            (Flavour::Bbr3, _) => Self::Bbr3(Box::default()),
            (Flavour::Ledbat, false) => Self::Ledbat(Box::default()),
            (Flavour::Ledbat, true) => Self::LedbatRack(Box::default()),
        }
    }
}
