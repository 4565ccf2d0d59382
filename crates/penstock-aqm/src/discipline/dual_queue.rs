//! Two queues with coupled AQMs in front of one link (RFC 9332, section 2): the common part of DualPI2 and dual Curvy
//! RED.
//!
//! Packets with ECT(1) or CE wait in the L4S queue (L), all others in the Classic queue (C), unless their codepoint is
//! listed for the other queue (section 2.3). The coupled AQMs judge each packet when the scheduler has selected it.

use super::packet_queue::PacketQueue;
use super::verdicts::Total;
use super::{Discipline, DropBudget, Env, Next, Probe};
use crate::aqm::{Backlog, Cause, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use alloc::vec::Vec;
use penstock_core::param::{Default, FromValue, Kind, ParamErrors, ParamInfo, Params, Settings, Value, read_with};
use penstock_core::{Ecn, Limit, Packet, PacketMeta, Rng, Span, Time};

penstock_core::choice! {
    /// The scheduler that selects one of the two head packets.
    pub enum DualScheduler {
        /// Weighted round robin.
        Wrr = "wrr",
        /// Time-shifted FIFO: the packet that has waited longer, after adding `tshift` to the waiting time of the L4S
        /// packet.
        TsFifo = "ts-fifo",
    }
}

penstock_core::params! {
    /// Parameters of the two queues, independent of their AQMs.
    pub(crate) struct DualParams {
        /// How the two queues share the link.
        scheduler: DualScheduler = Default::Text("wrr");
        /// Share of the link that weighted round robin keeps for the Classic queue.
        classic_weight: f64 = Default::Number(0.0625), range: 0.0..=1.0;
        /// Time added to the waiting time of L4S packets in the time-shifted FIFO.
        tshift: Span = Default::Nanos(50_000_000), unit: "s", range: 0.0..=10.0;
        /// Separate L4S from Classic packets and mark them; otherwise all packets are treated as Classic and not ECN-capable.
        ecn: bool = Default::Flag(true);
        /// Differentiated services codepoints whose packets wait in the L4S queue whatever their ECN field, such as [45]
        /// (NQB).
        l_dscp: DscpSet = Default::Absent, range: 0.0..=63.0;
        /// Codepoints whose packets wait in the Classic queue whatever their ECN field.
        c_dscp: DscpSet = Default::Absent, range: 0.0..=63.0;
    }
}

/// Codepoints; in canonical form a list of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DscpSet(u64);

impl DscpSet {
    #[inline]
    fn contains(self, dscp: u8) -> bool {
        self.0 >> (dscp & 63) & 1 == 1
    }
}

impl FromValue for DscpSet {
    const KIND: Kind = Kind::Codepoints;
    fn from_value(value: &Value) -> Option<Self> {
        let numbers = Vec::<f64>::from_value(value)?;
        let is_codepoint = |number: &f64| (0_u8..64).any(|dscp| f64::from(dscp) == *number);
        let bits = |bits, number: &f64| bits | 1 << *number as u64;
        numbers.iter().all(is_codepoint).then(|| Self(numbers.iter().fold(0, bits)))
    }
    fn absent() -> Option<Self> {
        Some(Self(0))
    }
}

/// The parameters of a pair of AQMs and of their queues.
pub(crate) fn read_dual<L: Params>(settings: &Settings, infos: &[ParamInfo]) -> Result<(L, DualParams), ParamErrors> {
    read_with(settings, infos, |reader| {
        let (aqms, dual): (L, DualParams) = reader.params()?;
        if dual.l_dscp.0 & dual.c_dscp.0 != 0 {
            reader.refuse("c_dscp", "must not contain a codepoint of l_dscp");
        }
        Some((aqms, dual))
    })
}

/// The packet that the scheduler has selected, as the AQMs see it.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Waiting time of the packet: `time()` of its queue in the RFC.
    pub(crate) sojourn: Span,
    /// Packets in its queue, this one included: `len()` of its queue in the RFC.
    pub(crate) len: u32,
    /// ECN field of the packet.
    pub(crate) ecn: Ecn,
}

/// Whether the ECN field is one of L4S: ECT(1) or CE.
#[inline]
pub(crate) fn is_l4s(ecn: Ecn) -> bool {
    ecn as u8 % 2 == 1
}

/// A pair of coupled AQMs. A packet may have the ECN field of the other queue (section 2.5.1.1).
pub trait Coupled: Send {
    /// Whether [`Coupled::next_timeout`] ever returns a time.
    const HAS_TIMER: bool = false;
    /// Judge a packet of the L4S queue.
    fn judge_l4s(&mut self, head: &Head, rng: &mut Rng) -> Verdict;
    /// Judge a packet of the Classic queue.
    fn judge_classic(&mut self, head: &Head, rng: &mut Rng) -> Verdict;
    /// When [`Coupled::update`] must be called next.
    fn next_timeout(&self) -> Option<Time> {
        None
    }
    /// Periodic update; `cq_time` and `lq_time` are the waiting times of the head packets, zero for an empty queue.
    fn update(&mut self, _now: Time, _cq_time: Span, _lq_time: Span) {}
    /// Like [`Discipline::gauges`].
    fn gauges(&self, show: &mut dyn FnMut(&str, f64));
}

/// The two queues, the scheduler and the shared limit.
#[derive(Clone)]
pub struct DualQueue<P, A> {
    lq: PacketQueue<P>,
    cq: PacketQueue<P>,
    aqms: A,
    params: DualParams,
    limit: Limit,
    mtu: u32,
    /// Bytes of service that weighted round robin owes to the Classic queue.
    credit: f64,
}

impl<P: Packet + Send + 'static, A: Coupled + 'static> DualQueue<P, A> {
    pub(crate) fn new(params: DualParams, aqms: A, link: &LinkInfo) -> Self {
        // the limit is shared, so the two queues have no limit of their own
        let [lq, cq] = [(); 2].map(|()| PacketQueue::new(Limit::Infinite));
        let mut queue = Self { lq, cq, aqms, params, limit: link.limit, mtu: 0, credit: 0.0 };
        queue.take_link(link);
        queue.favour_l4s();
        queue
    }

    fn take_link(&mut self, link: &LinkInfo) {
        self.limit = link.limit;
        self.mtu = link.mtu.0.min(u64::from(u32::MAX)) as u32;
    }

    /// Set the credit as if a full packet of the Classic queue had just been sent.
    fn favour_l4s(&mut self) {
        self.credit = -(1.0 - self.params.classic_weight) * f64::from(self.mtu);
    }

    /// Whether the L4S queue is served next; at least one queue must hold packets.
    fn scheduler(&self, now: Time) -> bool {
        match (self.lq.is_empty(), self.cq.is_empty()) {
            (_, true) => true,
            (true, false) => false,
            (false, false) => match self.params.scheduler {
                DualScheduler::Wrr => self.credit <= 0.0,
                // Figure 10, lines 28-33
                DualScheduler::TsFifo => self.lq.waited(now) + self.params.tshift >= self.cq.waited(now),
            },
        }
    }

    /// The packet classifier of figure 3, with the operator's codepoints (section 2.3).
    #[inline]
    fn is_l4s(&self, meta: &PacketMeta) -> bool {
        let DualParams { ecn, l_dscp, c_dscp, .. } = self.params;
        ecn && (is_l4s(meta.ecn) || l_dscp.contains(meta.dscp)) && !c_dscp.contains(meta.dscp)
    }

    /// A packet of `size` was sent while both queues held packets.
    fn charge(&mut self, l4s: bool, size: u32) {
        let weight = self.params.classic_weight;
        self.credit += f64::from(size) * if l4s { weight } else { weight - 1.0 };
    }

    fn total(&self) -> Total {
        let (l4s, classic) = (self.lq.total(), self.cq.total());
        Total { packets: l4s.packets + classic.packets, bytes: l4s.bytes + classic.bytes }
    }
}

impl<P: Packet + Send + 'static, A: Coupled + 'static, W: Probe<P> + ?Sized> Discipline<P, W> for DualQueue<P, A> {
    fn capabilities(&self) -> Capabilities {
        let timer = if A::HAS_TIMER { TimerMoves::Periodic } else { TimerMoves::Never };
        Capabilities::DEPARTURES.with_timer(timer)
    }

    fn is_fifo(&self) -> bool {
        false
    }

    /// Figure 3.
    #[expect(
        clippy::inline_always,
        reason = "the two of this file save 1 % of the instructions of W2 with Prague through dualpi2"
    )]
    #[inline(always)]
    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        let meta = packet.meta();
        // line 2: there must be room for a full packet, whatever the size of this packet
        let mut total = self.total();
        if !self.limit.admits(total.packets, total.bytes, meta.size.max(self.mtu)) {
            return total.refuse(env, &packet, Cause::Overflow);
        }
        let l4s = self.is_l4s(&meta);
        total.packets += 1;
        total.bytes += u64::from(meta.size);
        env.probe.queued(&total.report(env.now, &packet, env.now));
        let queue = if l4s { &mut self.lq } else { &mut self.cq };
        queue.push(env.now, &packet);
    }

    /// Figures 7 and 10.
    #[expect(
        clippy::inline_always,
        reason = "the two of this file save 1 % of the instructions of W2 with Prague through dualpi2"
    )]
    #[inline(always)]
    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let mut budget = DropBudget::new();
        loop {
            let l4s = self.scheduler(env.now);
            let contended = self.lq.total().bytes > 0 && self.cq.total().bytes > 0;
            let queue = if l4s { &mut self.lq } else { &mut self.cq };
            let len = queue.total().packets;
            let Some((enqueued, mut packet)) = queue.pop_oldest() else {
                self.favour_l4s();
                return Next::Empty;
            };
            let meta = packet.meta();
            let ecn = if self.params.ecn { meta.ecn } else { Ecn::Not };
            let head = Head { sojourn: env.now.since(enqueued), len, ecn };
            let verdict =
                if l4s { self.aqms.judge_l4s(&head, env.rng) } else { self.aqms.judge_classic(&head, env.rng) };
            if self.total().release(env, &mut packet, ecn, enqueued, verdict) {
                if contended {
                    self.charge(l4s, meta.size);
                }
                return Next::Send(packet);
            }
            if budget.spend() {
                return Next::NotBefore(env.now);
            }
        }
    }

    fn backlog(&self) -> Backlog {
        let oldest = [self.lq.oldest(), self.cq.oldest()].into_iter().flatten().min();
        let Total { packets, bytes } = self.total();
        Backlog { packets, bytes, limit: self.limit, oldest }
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.take_link(link);
    }

    fn reserve(&mut self, packets: u32, _flows: u32) {
        self.lq.reserve(packets);
        self.cq.reserve(packets);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.aqms.next_timeout()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        self.aqms.update(env.now, self.cq.waited(env.now), self.lq.waited(env.now));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("lq", f64::from(self.lq.total().packets));
        show("cq", f64::from(self.cq.total().packets));
        self.aqms.gauges(show);
    }
}

#[cfg(test)]
mod tests {
    use crate::discipline::test_harness::Bench;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Span};

    const SCHEMES: [&str; 2] = ["dualpi2", "dual-curvy-red"];

    /// For each of 200 packets of 1000 bytes, whether it came from the L4S queue, while both queues are full of fresh
    /// packets.
    fn order(scheme: &str, settings: &[(&str, Value)]) -> Vec<bool> {
        let mut bench = Bench::new(scheme, settings);
        bench.unlimited();
        for _ in 0..200 {
            bench.arrive_as(1000, Ecn::Ect1);
            bench.arrive_as(1000, Ecn::Ect0);
        }
        (0..160).map(|_| bench.depart().unwrap().rare.unwrap().adu.is_multiple_of(2)).collect()
    }

    #[test]
    fn round_robin_keeps_the_classic_weight() {
        for scheme in SCHEMES {
            let wrr = ("scheduler", Value::Text("wrr".into()));
            // 1/16 of the bytes; the L4S queue begins with a credit of 15/16 of a full packet of 1500 bytes:
            // 1406.25 / 62.5 = 22.5 packets, so packet 23 uses up the credit, and from then on every 16th packet is
            // Classic
            let order = order(scheme, &[wrr]);
            let classic: Vec<usize> = (0..160).filter(|&i| !order[i]).collect();
            assert_eq!(classic, [23, 39, 55, 71, 87, 103, 119, 135, 151], "{scheme}");
        }
    }

    #[test]
    fn the_time_shift_is_a_handicap_of_the_classic_queue() {
        for scheme in SCHEMES {
            let settings =
                [("scheduler", Value::Text("ts-fifo".into())), ("min_th", Value::Time(Span::from_secs(9.0)))];
            let mut bench = Bench::new(scheme, &settings);
            bench.arrive_as(1000, Ecn::Not);
            bench.advance(Span::from_millis(50));
            bench.arrive_as(1000, Ecn::Ect1);
            bench.arrive_as(1000, Ecn::Ect1);
            let leaves = |bench: &mut Bench| bench.depart().unwrap().rare.unwrap().adu;
            assert_eq!(leaves(&mut bench), 1, "{scheme}: 0 + 50 ms >= 50 ms");
            bench.advance(Span::from_nanos(1));
            assert_eq!(leaves(&mut bench), 2, "{scheme}: both have aged");
            bench.arrive_as(1000, Ecn::Ect1);
            assert_eq!(leaves(&mut bench), 0, "{scheme}: 0 + 50 ms < 50 ms + 1 ns");
        }
    }

    #[test]
    fn without_ecn_all_packets_share_one_queue() {
        for scheme in SCHEMES {
            let mut bench = Bench::new(scheme, &[("ecn", Value::Flag(false))]);
            for ecn in [Ecn::Not, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
                bench.arrive_as(1000, ecn);
            }
            assert_eq!(bench.depart_all(), [0, 1, 2, 3], "{scheme}");
        }
    }

    #[test]
    fn each_queue_shows_its_length() {
        for scheme in SCHEMES {
            let mut bench = Bench::new(scheme, &[]);
            for ecn in [Ecn::Ect1, Ecn::Not, Ecn::Ce, Ecn::Ect0, Ecn::Ect1] {
                bench.arrive_as(1000, ecn);
            }
            assert_eq!((bench.gauge("lq"), bench.gauge("cq")), (3.0, 2.0), "{scheme}");
            bench.depart().unwrap();
            assert_eq!((bench.gauge("lq"), bench.gauge("cq")), (2.0, 2.0), "{scheme}: the L4S queue goes first");
        }
    }

    #[test]
    fn a_limit_in_bytes_asks_for_a_full_packet_of_room() {
        for scheme in SCHEMES {
            let mut bench = Bench::new(scheme, &[]);
            bench.limit_bytes(4000);
            // 0 + 1500, 1000 + 1500, 2000 + 1500 <= 4000; 3000 + 1500 is not
            (0..4).for_each(|_| bench.arrive_as(1000, Ecn::Not));
            assert_eq!(bench.depart_all(), [0, 1, 2], "{scheme}");
        }
    }

    #[test]
    fn giants_and_dwarfs_are_survived() {
        for scheme in SCHEMES {
            let mut bench = Bench::new(scheme, &[]);
            bench.limit_packets(1);
            bench.arrive_as(65_535, Ecn::Ect1);
            bench.arrive_as(1, Ecn::Not);
            assert_eq!(bench.depart_all(), [0], "{scheme}");
        }
    }
}
