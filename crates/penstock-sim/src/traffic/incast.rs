//! Incast: in each round many senders answer one receiver at the same instant.
//! A. Phanishayee, E. Krevat, V. Vasudevan, D. Andersen, G. Ganger, G. Gibson, S. Seshan, "Measurement and Analysis of TCP
//! Throughput Collapse in Cluster-based Storage Systems", FAST 2008: synchronized reads behind a barrier.
//!
//! # Algorithm
//! In a round each sender opens a connection and sends one answer of a drawn size. The round ends when all answers have
//! been acknowledged. The next round starts a pause after that (a barrier), or with `every` at a fixed interval after the
//! start of the previous one, whether or not that has ended.
//!
//! # Differences
//! * The request is not simulated: a round starts with the answers.
//! * The paper's senders keep their connections from round to round; here each answer is a new connection.

use crate::scenario::{IncastSpec, TransfersSpec};
use crate::traffic::opening::{Opening, Size};
use penstock_core::{Rng, Span, Time};

/// The senders of one receiver.
pub(crate) struct Incast {
    spec: IncastSpec,
    transfers: TransfersSpec,
    senders: u32,
    next: Time,
    /// Rounds that wait for answers, and the number of rounds so far.
    rounds: Vec<Round>,
    count: u32,
}

struct Round {
    number: u32,
    start: Time,
    missing: u32,
}

impl Incast {
    /// `senders` senders, whose first round is at `start`.
    pub(crate) fn new(spec: IncastSpec, transfers: TransfersSpec, start: Time, senders: u32) -> Self {
        Self { spec, transfers, senders, next: start, rounds: Vec::new(), count: 0 }
    }

    /// Start of the next round.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Start a round.
    pub(crate) fn on_time(&mut self, now: Time, rng: &mut Rng, open: &mut Vec<Opening>) {
        let number = self.count;
        self.count = number.wrapping_add(1);
        for route in 0..self.senders {
            let size = Size::draw(&self.transfers.size, self.transfers.unit, rng);
            open.push(Opening { route, size, tag: number });
        }
        self.rounds.push(Round { number, start: now, missing: self.senders });
        self.next = self.spec.every_ns.map_or(Time::NEVER, |every| now + Span::from_nanos(every));
    }

    /// An answer of round `number` is complete; if it was the last, returns the duration of the round.
    pub(crate) fn on_end(&mut self, now: Time, number: u32, rng: &mut Rng) -> Option<Span> {
        let place = self.rounds.iter().position(|round| round.number == number)?;
        self.rounds[place].missing -= 1;
        if self.rounds[place].missing > 0 {
            return None;
        }
        let round = self.rounds.swap_remove(place);
        if self.spec.every_ns.is_none() {
            self.next = now + self.spec.pause.span(rng);
        }
        Some(now.since(round.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Draw, SizeUnit};

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    fn incast(every_ns: Option<u64>) -> (Incast, Rng) {
        let spec = IncastSpec { every_ns, pause: Draw::Fixed(1e9) };
        let size = TransfersSpec { size: Draw::Fixed(5.0), unit: SizeUnit::Packets, arrivals: None, classes: vec![] };
        (Incast::new(spec, size, at(1.0), 3), Rng::stream(1, "incast"))
    }

    #[test]
    fn the_next_round_waits_for_the_last_answer() {
        let (mut incast, mut rng) = incast(None);
        let mut open = Vec::new();
        incast.on_time(at(1.0), &mut rng, &mut open);
        assert_eq!(open.iter().map(|opening| opening.route).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(incast.next(), Time::NEVER);
        let mut ended = |seconds| incast.on_end(at(seconds), 0, &mut rng);
        assert_eq!([ended(2.0), ended(2.5), ended(4.0)], [None, None, Some(Span::from_secs(3.0))]);
        assert_eq!(incast.next(), at(5.0));
    }

    #[test]
    fn with_a_period_rounds_may_overlap() {
        let (mut incast, mut rng) = incast(Some(1_000_000_000));
        let mut open = Vec::new();
        incast.on_time(at(1.0), &mut rng, &mut open);
        incast.on_time(at(2.0), &mut rng, &mut open);
        assert_eq!((open[0].tag, open[3].tag, incast.next()), (0, 1, at(3.0)));
        let mut ended = |seconds, round| incast.on_end(at(seconds), round, &mut rng);
        assert_eq!([ended(2.1, 1), ended(2.2, 1), ended(2.3, 1)], [None, None, Some(Span::from_secs(0.3))]);
        assert_eq!([ended(3.1, 0), ended(3.2, 0), ended(3.5, 0)], [None, None, Some(Span::from_secs(2.5))]);
        assert_eq!(incast.next(), at(3.0));
    }
}
