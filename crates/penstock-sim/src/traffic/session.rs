//! What opens connections, and when: each source has one timer, and is told when a connection of its has ended.

use crate::scenario::{Draw, IncastSpec, OnoffSpec, SizeUnit, TransfersSpec, WebSpec};
use crate::traffic::incast::Incast;
use crate::traffic::web::Web;
use penstock_core::{Rng, Span, Time};

/// A connection to open now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Which of the session's ways it takes.
    pub(crate) way: u32,
    /// How much data.
    pub(crate) size: Size,
    /// What the session calls it.
    pub(crate) tag: u32,
}

/// Length of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Packets of data.
    Packets(u32),
    /// Bytes of user data.
    Bytes(u64),
}

impl Size {
    /// A drawn number of these, rounded up, at least 1.
    pub(crate) fn draw(draw: &Draw, unit: SizeUnit, rng: &mut Rng) -> Self {
        match unit {
            SizeUnit::Packets => Self::Packets(whole(draw, rng)),
            SizeUnit::Bytes => Self::Bytes(draw.draw(rng).ceil().clamp(1.0, 4e18) as u64),
        }
    }
}

/// A source of connections.
pub(crate) enum Behaviour {
    /// One transfer after the other.
    Transfers(Transfers),
    /// Transfers that come whether or not those before have ended.
    Arrivals(Box<Arrivals>),
    /// Many transfers at once.
    Incast(Box<Incast>),
    /// Pages of objects.
    Web(Box<Web>),
}

impl Behaviour {
    /// Transfers as `spec` says, the first at `start`.
    pub(crate) fn transfers(spec: &OnoffSpec, start: Time) -> Self {
        Self::Transfers(Transfers { size: spec.on.clone(), off: spec.off.clone(), next: start })
    }

    /// Transfers as `spec` says, the first a gap after `start`, or a single one at `start`.
    pub(crate) fn arrivals(spec: &TransfersSpec, start: Time, rng: &mut Rng) -> Self {
        let next = spec.arrivals.as_ref().map_or(start, |gap| start + time(gap, rng));
        Self::Arrivals(Box::new(Arrivals { spec: spec.clone(), next }))
    }

    /// Rounds as `spec` says of transfers as `transfers` says from so many senders, the first at `start`.
    pub(crate) fn incast(spec: &IncastSpec, transfers: &TransfersSpec, start: Time, senders: u32) -> Self {
        Self::Incast(Box::new(Incast::new(spec.clone(), transfers.clone(), start, senders)))
    }

    /// Pages as `spec` says, the first at `start`, from so many servers, in packets of so many bytes.
    pub(crate) fn web(spec: &WebSpec, start: Time, servers: u32, packet: u32) -> Self {
        Self::Web(Box::new(Web::new(spec.clone(), start, servers, packet)))
    }

    /// When it next wants to act by itself.
    pub(crate) fn next(&self) -> Time {
        match self {
            Self::Transfers(transfers) => transfers.next,
            Self::Arrivals(arrivals) => arrivals.next,
            Self::Incast(incast) => incast.next(),
            Self::Web(web) => web.next(),
        }
    }

    /// The time that `next` named has come.
    pub(crate) fn on_time(&mut self, now: Time, rng: &mut Rng, open: &mut Vec<Opening>) {
        match self {
            Self::Transfers(transfers) => transfers.on_time(rng, open),
            Self::Arrivals(arrivals) => arrivals.on_time(now, rng, open),
            Self::Incast(incast) => incast.on_time(now, rng, open),
            Self::Web(web) => web.on_time(now, rng, open),
        }
    }

    /// All data of the connection with this tag has been acknowledged. If a round has ended with it, how long that took.
    pub(crate) fn on_end(&mut self, now: Time, tag: u32, rng: &mut Rng, open: &mut Vec<Opening>) -> Option<Span> {
        match self {
            Self::Transfers(transfers) => transfers.next = now + time(&transfers.off, rng),
            Self::Arrivals(_) => {}
            Self::Incast(incast) => return incast.on_end(now, tag, rng),
            Self::Web(web) => web.on_end(now, tag, rng, open),
        }
        None
    }
}

/// Transfers in open loop, or a single one.
pub(crate) struct Arrivals {
    spec: TransfersSpec,
    next: Time,
}

impl Arrivals {
    fn on_time(&mut self, now: Time, rng: &mut Rng, open: &mut Vec<Opening>) {
        let size = Size::draw(&self.spec.size, self.spec.unit, rng);
        open.push(Opening { way: 0, size, tag: 0 });
        self.next = self.spec.arrivals.as_ref().map_or(Time::NEVER, |gap| now + time(gap, rng));
    }
}

/// Transfers one after the other, with a pause from the end of one to the start of the next.
pub(crate) struct Transfers {
    /// In packets.
    size: Draw,
    /// In nanoseconds.
    off: Draw,
    next: Time,
}

impl Transfers {
    fn on_time(&mut self, rng: &mut Rng, open: &mut Vec<Opening>) {
        self.next = Time::NEVER;
        open.push(Opening { way: 0, size: Size::Packets(whole(&self.size, rng)), tag: 0 });
    }
}

/// A drawn number rounded up, at least 1.
pub(crate) fn whole(draw: &Draw, rng: &mut Rng) -> u32 {
    draw.draw(rng).ceil().clamp(1.0, MOST) as u32
}

/// A drawn time.
pub(crate) fn time(draw: &Draw, rng: &mut Rng) -> Span {
    // Beyond 30 years is never, in any run.
    Span::from_nanos(draw.draw(rng).clamp(0.0, 1e18) as u64)
}

/// More packets than any run sends.
const MOST: f64 = 4e9;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    #[test]
    fn a_transfer_waits_from_the_end_of_the_one_before() {
        let spec = OnoffSpec { on: Draw::Fixed(256.0), off: Draw::Fixed(2e9), unit: crate::scenario::OnUnit::Packets };
        let mut source = Behaviour::transfers(&spec, at(1.0));
        let (mut rng, mut open) = (Rng::stream(1, "source"), Vec::new());
        assert_eq!(source.next(), at(1.0));
        source.on_time(at(1.0), &mut rng, &mut open);
        assert_eq!(
            (open.pop(), source.next()),
            (Some(Opening { way: 0, size: Size::Packets(256), tag: 0 }), Time::NEVER)
        );
        source.on_end(at(5.0), 0, &mut rng, &mut open);
        assert_eq!((open.len(), source.next()), (0, at(7.0)));
    }

    #[test]
    fn arrivals_come_whether_or_not_those_before_have_ended() {
        let (size, unit) = (Draw::Fixed(1000.5), SizeUnit::Bytes);
        let spec = TransfersSpec { size, unit, arrivals: Some(Draw::Fixed(1e9)), classes: Vec::new() };
        let (mut rng, mut open) = (Rng::stream(1, "source"), Vec::new());
        let mut source = Behaviour::arrivals(&spec, at(1.0), &mut rng);
        for second in [2.0, 3.0, 4.0] {
            assert_eq!(source.next(), at(second));
            source.on_time(at(second), &mut rng, &mut open);
            assert_eq!(open.pop(), Some(Opening { way: 0, size: Size::Bytes(1001), tag: 0 }));
        }
        let mut once = Behaviour::arrivals(&TransfersSpec { arrivals: None, ..spec }, at(1.0), &mut rng);
        assert_eq!(once.next(), at(1.0));
        once.on_time(at(1.0), &mut rng, &mut open);
        once.on_end(at(2.0), 0, &mut rng, &mut open);
        assert_eq!((open.len(), once.next()), (1, Time::NEVER));
    }
}
