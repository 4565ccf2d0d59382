//! Behaviour of sessions: times and sizes of their connections. Each session has one timer, and is notified when one of
//! its connections ends.

use crate::scenario::{IncastSpec, OnoffSpec, TrafficSpec, TransfersSpec, WebSpec};
use crate::traffic::incast::Incast;
use crate::traffic::opening::Opening;
use crate::traffic::transfers::{Arrivals, Transfers};
use crate::traffic::web::Web;
use penstock_core::{Rng, Span, Time};
use penstock_tcp::TcpParams;

/// A source of connections.
pub(crate) enum Behaviour {
    /// One transfer after the other.
    Transfers(Transfers),
    /// Transfers in open loop: they start whether or not earlier ones have ended.
    Arrivals(Box<Arrivals>),
    /// Many simultaneous transfers.
    Incast(Box<Incast>),
    /// Pages of objects.
    Web(Box<Web>),
}

impl Behaviour {
    /// The behaviour of a session of this group that starts at `start`; `data` are the parameters of its connections.
    pub(crate) fn of(group: &TrafficSpec, start: Time, data: &TcpParams, rng: &mut Rng) -> Self {
        let senders = group.senders() as u32;
        match (&group.web, &group.onoff, &group.incast, &group.transfers) {
            (Some(web), ..) => Self::web(web, start, senders, data.packet.0 as u32),
            (_, Some(onoff), ..) => Self::transfers(onoff, start),
            (_, _, Some(incast), Some(transfers)) => Self::incast(incast, transfers, start, senders),
            (_, _, None, Some(transfers)) => Self::arrivals(transfers, start, rng),
            _ => unreachable!("the scenario was checked"),
        }
    }

    /// Transfers by `spec`, the first at `start`.
    pub(crate) fn transfers(spec: &OnoffSpec, start: Time) -> Self {
        Self::Transfers(Transfers::new(spec, start))
    }

    /// Transfers by `spec`, the first a gap after `start`, or a single one at `start`.
    pub(crate) fn arrivals(spec: &TransfersSpec, start: Time, rng: &mut Rng) -> Self {
        Self::Arrivals(Box::new(Arrivals::new(spec, start, rng)))
    }

    /// Rounds by `spec` of transfers by `transfers` from `senders` senders, the first at `start`.
    pub(crate) fn incast(spec: &IncastSpec, transfers: &TransfersSpec, start: Time, senders: u32) -> Self {
        Self::Incast(Box::new(Incast::new(spec.clone(), transfers.clone(), start, senders)))
    }

    /// Pages by `spec` from `servers` servers, the first at `start`, in packets of `packet` bytes of data.
    pub(crate) fn web(spec: &WebSpec, start: Time, servers: u32, packet: u32) -> Self {
        Self::Web(Box::new(Web::new(spec.clone(), start, servers, packet)))
    }

    /// Time of its next action.
    pub(crate) fn next(&self) -> Time {
        match self {
            Self::Transfers(transfers) => transfers.next(),
            Self::Arrivals(arrivals) => arrivals.next(),
            Self::Incast(incast) => incast.next(),
            Self::Web(web) => web.next(),
        }
    }

    /// Act at the time given by `next`.
    pub(crate) fn on_time(&mut self, now: Time, rng: &mut Rng, open: &mut Vec<Opening>) {
        match self {
            Self::Transfers(transfers) => transfers.on_time(rng, open),
            Self::Arrivals(arrivals) => arrivals.on_time(now, rng, open),
            Self::Incast(incast) => incast.on_time(now, rng, open),
            Self::Web(web) => web.on_time(now, rng, open),
        }
    }

    /// All data of the connection with this tag is acknowledged. If that ends a round or a page, returns its
    /// duration.
    pub(crate) fn on_end(&mut self, now: Time, tag: u32, rng: &mut Rng, open: &mut Vec<Opening>) -> Option<Span> {
        match self {
            Self::Transfers(transfers) => transfers.on_end(now, rng),
            Self::Arrivals(_) => {}
            Self::Incast(incast) => return incast.on_end(now, tag, rng),
            Self::Web(web) => return web.on_end(now, tag, rng, open),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Draw, OnUnit, SizeUnit};
    use crate::traffic::opening::Size;

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    #[test]
    fn a_transfer_waits_from_the_end_of_the_one_before() {
        let spec = OnoffSpec { on: Draw::Fixed(256.0), off: Draw::Fixed(2e9), unit: OnUnit::Packets };
        let mut source = Behaviour::transfers(&spec, at(1.0));
        let (mut rng, mut open) = (Rng::stream(1, "source"), Vec::new());
        assert_eq!(source.next(), at(1.0));
        source.on_time(at(1.0), &mut rng, &mut open);
        assert_eq!(
            (open.pop(), source.next()),
            (Some(Opening { route: 0, size: Size::Packets(256), tag: 0 }), Time::NEVER)
        );
        source.on_end(at(5.0), 0, &mut rng, &mut open);
        assert_eq!((open.len(), source.next()), (0, at(7.0)));
    }

    #[test]
    fn arrivals_do_not_wait_for_earlier_transfers() {
        let (size, unit) = (Draw::Fixed(1000.5), SizeUnit::Bytes);
        let spec = TransfersSpec { size, unit, arrivals: Some(Draw::Fixed(1e9)), classes: Vec::new() };
        let (mut rng, mut open) = (Rng::stream(1, "source"), Vec::new());
        let mut source = Behaviour::arrivals(&spec, at(1.0), &mut rng);
        for second in [2.0, 3.0, 4.0] {
            assert_eq!(source.next(), at(second));
            source.on_time(at(second), &mut rng, &mut open);
            assert_eq!(open.pop(), Some(Opening { route: 0, size: Size::Bytes(1001), tag: 0 }));
        }
        let mut once = Behaviour::arrivals(&TransfersSpec { arrivals: None, ..spec }, at(1.0), &mut rng);
        assert_eq!(once.next(), at(1.0));
        once.on_time(at(1.0), &mut rng, &mut open);
        once.on_end(at(2.0), 0, &mut rng, &mut open);
        assert_eq!((open.len(), once.next()), (1, Time::NEVER));
    }
}
