//! The sending end: the machinery with the congestion law of its flavour.

use crate::cc::Law;
use crate::cc::bbr::Bbr;
use crate::cc::cubic::Cubic;
use crate::cc::dctcp::Dctcp;
use crate::cc::hystart_plus::Careful;
use crate::cc::ledbat::Ledbat;
use crate::cc::newreno::NewReno;
use crate::cc::pipe::Pipe;
use crate::cc::prague::Prague;
use crate::cc::rack::Rack;
use crate::cc::reno::Reno;
use crate::cc::sack::{Growth, Sack, Standard};
use crate::cc::tahoe::Tahoe;
use crate::cc::vegas::Vegas;
use crate::counts::SenderCounts;
use crate::machine::{Machine, Probe};
use crate::params::{Flavour, Hystart, TcpParams};
use crate::recovery::Recovery;
use crate::wire::{Ack, Network};
use alloc::boxed::Box;
use alloc::sync::Arc;
use penstock_core::{Span, Time};

/// The laws, dispatched statically.
#[derive(Debug)]
enum AnyLaw {
    Tahoe(Tahoe),
    Reno(Reno),
    NewReno(NewReno),
    Pipe(Pipe),
    Vegas(Box<Vegas>),
    Other(Box<Other>),
}

/// Laws that are called, so that those of the ns-2 works stay small enough to be part of the engine's loop.
#[derive(Debug)]
enum Other {
    Sack(Selective<Standard>),
    Careful(Selective<Careful>),
    Cubic(Selective<Cubic>),
    Dctcp(Selective<Dctcp>),
    Prague(Selective<Prague>),
    Bbr(Selective<Bbr>),
    Ledbat(Selective<Ledbat>),
}

/// Loss recovery with selective acknowledgements: by counts of what is reported, or with `rack` by times.
#[derive(Debug)]
enum Selective<G> {
    Counts(Sack<G>),
    Times(Rack<G>),
}

impl<G: Growth> Selective<G> {
    fn new(params: &TcpParams) -> Self {
        if params.rack { Self::Times(Rack::default()) } else { Self::Counts(Sack::default()) }
    }
}

impl<G: Growth> Law for Selective<G> {
    fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        match self {
            Self::Counts(law) => law.fill(m, now, net),
            Self::Times(law) => law.fill(m, now, net),
        }
    }

    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        match self {
            Self::Counts(law) => law.on_ack(m, now, ack, net),
            Self::Times(law) => law.on_ack(m, now, ack, net),
        }
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        match self {
            Self::Counts(law) => law.on_timeout(m, now, net),
            Self::Times(law) => law.on_timeout(m, now, net),
        }
    }

    fn on_probe<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        match self {
            Self::Counts(law) => law.on_probe(m, now, net),
            Self::Times(law) => law.on_probe(m, now, net),
        }
    }

    fn on_pace<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        match self {
            Self::Counts(law) => law.on_pace(m, now, net),
            Self::Times(law) => law.on_pace(m, now, net),
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        match self {
            Self::Counts(law) => law.gauges(show),
            Self::Times(law) => law.gauges(show),
        }
    }
}

/// Call a method of whichever of the other laws it is.
macro_rules! other {
    ($other:ident, $method:ident, $($argument:expr),*) => {
        match $other {
            Self::Sack(law) => law.$method($($argument),*),
            Self::Careful(law) => law.$method($($argument),*),
            Self::Cubic(law) => law.$method($($argument),*),
            Self::Dctcp(law) => law.$method($($argument),*),
            Self::Prague(law) => law.$method($($argument),*),
            Self::Bbr(law) => law.$method($($argument),*),
            Self::Ledbat(law) => law.$method($($argument),*),
        }
    };
}

impl Law for Other {
    fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        other!(self, fill, m, now, net);
    }

    #[inline(never)]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        other!(self, on_ack, m, now, ack, net);
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        other!(self, on_timeout, m, now, net);
    }

    fn on_probe<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        other!(self, on_probe, m, now, net);
    }

    fn on_pace<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        other!(self, on_pace, m, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        other!(self, gauges, show);
    }
}

/// Call a method of whichever law it is.
macro_rules! law {
    ($sender:ident, $method:ident, $($argument:expr),*) => {
        match &mut $sender.law {
            AnyLaw::Tahoe(law) => law.$method(&mut $sender.machine, $($argument),*),
            AnyLaw::Reno(law) => law.$method(&mut $sender.machine, $($argument),*),
            AnyLaw::NewReno(law) => law.$method(&mut $sender.machine, $($argument),*),
            AnyLaw::Pipe(law) => law.$method(&mut $sender.machine, $($argument),*),
            AnyLaw::Vegas(law) => law.$method(&mut $sender.machine, $($argument),*),
            AnyLaw::Other(law) => law.$method(&mut $sender.machine, $($argument),*),
        }
    };
}

/// The sending end of a flow.
#[derive(Debug)]
pub struct Sender {
    machine: Machine,
    law: AnyLaw,
}

impl Sender {
    /// A sender that has not started.
    pub fn new(params: Arc<TcpParams>) -> Self {
        let other = |law| AnyLaw::Other(Box::new(law));
        let law = match (params.flavour, params.recovery) {
            (Flavour::Tahoe, _) => AnyLaw::Tahoe(Tahoe),
            (Flavour::Reno, _) => AnyLaw::Reno(Reno),
            (Flavour::NewReno, _) => AnyLaw::NewReno(NewReno::default()),
            (Flavour::Sack, Recovery::Ns2) => AnyLaw::Pipe(Pipe::default()),
            (Flavour::Sack, Recovery::Rfc) if params.hystart == Hystart::Plus => {
                other(Other::Careful(Selective::new(&params)))
            }
            (Flavour::Sack, Recovery::Rfc) => other(Other::Sack(Selective::new(&params))),
            (Flavour::Vegas, _) => AnyLaw::Vegas(Box::default()),
            (Flavour::Cubic, _) => other(Other::Cubic(Selective::new(&params))),
            (Flavour::Dctcp, _) => other(Other::Dctcp(Selective::new(&params))),
            (Flavour::Prague, _) => other(Other::Prague(Selective::new(&params))),
            (Flavour::Bbr, _) => other(Other::Bbr(Selective::new(&params))),
            (Flavour::Ledbat, _) => other(Other::Ledbat(Selective::new(&params))),
        };
        Self { machine: Machine::new(params), law }
    }

    /// Begin to send.
    pub fn start(&mut self, now: Time, net: &mut impl Network) {
        self.machine.start(now);
        law!(self, fill, now, net);
    }

    /// Begin to send so many packets of data, whatever the keys say of the transfer's length.
    pub fn start_transfer(&mut self, now: Time, packets: u32, net: &mut impl Network) {
        self.machine.start_transfer(now, packets);
        law!(self, fill, now, net);
    }

    /// An acknowledgement arrived.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, net: &mut impl Network) {
        // An acknowledgement older than the last one says nothing.
        if ack.ack >= self.machine.una {
            law!(self, on_ack, now, ack, net);
        }
    }

    /// When [`Self::on_timer`] is wanted.
    #[inline]
    pub fn timer(&self) -> Option<Time> {
        let timer = self.machine.timer();
        (timer != Time::NEVER).then_some(timer)
    }

    /// The instant that `timer` named has come.
    pub fn on_timer(&mut self, now: Time, net: &mut impl Network) {
        if self.machine.ends_waiting(now) {
            law!(self, on_pace, now, net);
        }
        if !self.machine.is_overdue(now) {
            return;
        }
        if self.machine.probe == Probe::Armed {
            law!(self, on_probe, now, net);
        } else if self.machine.time_out() {
            law!(self, on_timeout, now, net);
        } else if self.machine.max < self.machine.end {
            law!(self, on_idle, now, net);
        }
    }

    /// No new data from now on; what is outstanding is still repaired.
    pub fn stop(&mut self, now: Time) {
        self.machine.stop(now);
    }

    /// When all data had been acknowledged.
    pub fn finished(&self) -> Option<Time> {
        self.machine.finished()
    }

    /// The number after that of the last packet of the transfer; `u32::MAX` for an endless one.
    #[inline]
    pub fn end(&self) -> u32 {
        self.machine.end
    }

    /// Congestion window in packets, without the inflation of a fast recovery.
    pub fn cwnd(&self) -> f64 {
        self.machine.cwnd
    }

    /// Slow start threshold in packets.
    pub fn ssthresh(&self) -> f64 {
        self.machine.ssthresh
    }

    /// Smoothed round trip time, at the granularity of the sender's clock.
    pub fn srtt(&self) -> Option<Span> {
        self.machine.srtt()
    }

    /// Show the state to a probe, as (name, value): `cwnd` and `ssthresh` in packets, `srtt` in seconds once a round trip has
    /// been measured, and the variables of the congestion control: `alpha` (DCTCP, Prague), `w_max` in packets (CUBIC, while
    /// it is known), `btl_bw` in packets per second and `rtprop` in seconds (BBR), `base_rtt` in seconds (Vegas),
    /// `queueing_delay` in seconds (LEDBAT).
    pub fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("cwnd", self.cwnd());
        show("ssthresh", self.ssthresh());
        if let Some(srtt) = self.srtt() {
            show("srtt", srtt.as_secs());
        }
        match &self.law {
            AnyLaw::Tahoe(_) | AnyLaw::Reno(_) | AnyLaw::NewReno(_) | AnyLaw::Pipe(_) => {}
            AnyLaw::Vegas(law) => law.gauges(show),
            AnyLaw::Other(law) => law.gauges(show),
        }
    }

    /// What has been done up to now.
    pub fn counts(&self, now: Time) -> SenderCounts {
        self.machine.counts(now)
    }
}
