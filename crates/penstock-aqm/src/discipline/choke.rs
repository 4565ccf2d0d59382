//! CHOKe: choose and keep for responsive flows, choose and kill for unresponsive flows.
//! R. Pan, B. Prabhakar, K. Psounis, "CHOKe: A Stateless Active Queue Management Scheme for Approximating Fair
//! Bandwidth Allocation", IEEE INFOCOM, 2000.
//!
//! # Algorithm
//! Each arrival first updates RED's average; then
//!
//! * avg <= `min_th`: the packet is queued;
//! * otherwise a packet is drawn at random from the queue; if it belongs to the flow of the arriving packet, both are
//!   dropped;
//! * otherwise RED decides about the arriving packet.
//!
//! A flow with a large share of the queue is hit in proportion to the square of that share, without per-flow state.
//!
//! While avg > `min_th` and the queue is not empty, one random number is drawn per candidate: its position in the order
//! of arrival. If the packet at that position was evicted, the draw is repeated. RED draws its numbers afterwards. The
//! position of an evicted packet is removed when it reaches an end of the queue; all such positions are removed when
//! they outnumber the packets.
//!
//! # Victim
//! The packets drawn at random, or from the front or back (`candidate`), that belong to the flow of the arriving
//! packet, which is dropped with them.
//!
//! # Parameters
//! The parameters of RED, `draws` and `candidate`. `draws` is the number of candidates, drawn with replacement: each
//! candidate of the arriving packet's flow is dropped, and then the arriving packet as well. `candidate` takes the
//! packet at the "front" or "back" instead of a random packet.
//!
//! # Differences
//! * Above `max_th`, non-gentle RED drops every arrival, as in the paper.
//! * `spacing = "count"` and `guards = false` give RED as in the paper of 1993. With `guards = true` and `whole_average
//!   = true`, as in Linux, the first dropped packet is the same as in Linux (`tests/integration/linux_open_loop.rs`).
//! * Two packets of the same flow are dropped, never marked, as observed in Linux 6.1.

use super::verdicts::Total;
use super::{Discipline, Env, Next, Probe};
use crate::algorithm::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cause, LinkInfo};
use crate::capabilities::{Capabilities, Judges};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{Limit, Packet, PacketMeta, Rng, Time};

penstock_core::choice! {
    /// The queued packet that is compared with the arriving packet.
    pub enum Candidate {
        /// A random packet.
        Random = "random",
        /// The packet that leaves next.
        Front = "front",
        /// The packet that arrived last.
        Back = "back",
    }
}

penstock_core::params! {
    /// The parameters that CHOKe adds to those of RED.
    pub struct ChokeParams {
        /// Number of packets drawn from the queue for comparison.
        draws: u32 = Default::Number(1.0), range: 1.0..=100.0;
        /// The queued packet that is compared with the arriving packet.
        candidate: Candidate = Default::Text("random");
    }
}

const PARAMS: [ParamInfo; inherited_len(ChokeParams::INFO, RedParams::INFO)] = inherit(
    ChokeParams::INFO,
    RedParams::INFO,
    &[("spacing", Default::Text("count")), ("guards", Default::Flag(false))],
);

/// CHOKe.
pub(crate) struct Choke<P> {
    params: ChokeParams,
    red: Red,
    /// The places of the packets, in order of arrival. The place of an evicted packet is empty; the first and the last
    /// place never are. Not a list of a packet slab: a random place is drawn by its number.
    places: VecDeque<Option<(Time, P)>>,
    total: Total,
    limit: Limit,
}

impl<P: Packet> Choke<P> {
    fn new(params: ChokeParams, red: Red, limit: Limit) -> Self {
        Self { params, red, places: VecDeque::new(), total: Total::default(), limit }
    }

    fn waiting(&self) -> Backlog {
        let oldest = self.places.front().and_then(Option::as_ref).map(|&(enqueued, _)| enqueued);
        Backlog { packets: self.total.packets, bytes: self.total.bytes, limit: self.limit, oldest }
    }

    /// Drops the candidates that belong to the flow of `arriving`; returns whether there were any.
    fn evict_matching(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, arriving: &PacketMeta) -> bool {
        let mut hit = false;
        for _ in 0..self.params.draws {
            let Some(place) = self.draw(env.rng) else { break };
            let is_same = |(_, packet): &(Time, P)| packet.meta().flow == arriving.flow;
            if self.places[place].as_ref().is_some_and(is_same) {
                self.evict(env, place);
                hit = true;
            }
        }
        hit
    }

    /// The place of a candidate.
    fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let last = self.places.len().checked_sub(1)?;
        match self.params.candidate {
            Candidate::Front => Some(0),
            Candidate::Back => Some(last),
            Candidate::Random => loop {
                // at most half of the places are empty
                let place = rng.below(self.places.len() as u64) as usize;
                if self.places[place].is_some() {
                    return Some(place);
                }
            },
        }
    }

    fn evict(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, place: usize) {
        let Some((enqueued, packet)) = self.places[place].take() else { return };
        self.total.packets -= 1;
        self.total.bytes -= u64::from(packet.meta().size);
        self.tidy();
        env.probe.dropped(&self.total.report(env.now, &packet, enqueued), Cause::Evicted);
    }

    /// Remove empty places at both ends, and all of them if more than every second place is empty.
    fn tidy(&mut self) {
        while self.places.front().is_some_and(Option::is_none) {
            self.places.pop_front();
        }
        while self.places.back().is_some_and(Option::is_none) {
            self.places.pop_back();
        }
        if self.places.len() > 2 * self.total.packets as usize {
            self.places.retain(Option::is_some);
        }
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for Choke<P> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { judges: Judges::Both, ..self.red.capabilities() }
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        let meta = packet.meta();
        let q = self.red.length(&self.waiting());
        self.red.average.update(env.now, q);
        if self.red.average.get() > self.red.curve.min_th && self.evict_matching(env, &meta) {
            return self.total.refuse(env, &packet, Cause::Early);
        }
        let verdict = self.red.judge(q, meta.size, env.rng);
        let Some(admitted) = self.total.admit(env, &packet, meta.ecn, verdict) else { return };
        if !self.limit.admits(self.total.packets, self.total.bytes, meta.size) {
            self.red.on_overflow(&mut env.cx(self.waiting(), self.total.bytes), &meta);
            return self.total.refuse(env, &packet, Cause::Overflow);
        }
        admitted.mark(env, self.total, &mut packet);
        self.total.packets += 1;
        self.total.bytes += u64::from(meta.size);
        self.places.push_back(Some((env.now, packet)));
        if let Some(Some((enqueued, packet))) = self.places.back() {
            env.probe.queued(&self.total.report(env.now, packet, *enqueued));
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let Some((enqueued, packet)) = self.places.pop_front().flatten() else {
            self.red.on_idle(env.now);
            return Next::Empty;
        };
        self.total.packets -= 1;
        self.total.bytes -= u64::from(packet.meta().size);
        self.tidy();
        env.probe.sent(&self.total.report(env.now, &packet, enqueued));
        Next::Send(packet)
    }

    fn backlog(&self) -> Backlog {
        self.waiting()
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.limit = link.limit;
        self.red.on_link(now, link);
    }

    fn reserve(&mut self, packets: u32, _flows: u32) {
        // at most half of the places are empty
        self.places.reserve(2 * packets as usize + 1);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
    }
}

/// CHOKe in the registry.
pub(crate) struct ChokeScheme;

impl Scheme for ChokeScheme {
    const INFO: SchemeInfo = SchemeInfo {
        name: "choke",
        aliases: &[],
        family: "RED",
        title: "CHOKe",
        source: "R. Pan, B. Prabhakar, K. Psounis, CHOKe: A Stateless Active Queue Management Scheme for Approximating Fair \
                 Bandwidth Allocation, IEEE INFOCOM, 2000",
        doc: module_doc!("choke.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(draws) time, amortised; O(n) memory in packets",
        build_aqm: None,
        picture: Picture::Response,
        good: "Limits an unresponsive flow without per-flow state.",
        bad: "If all flows respond to losses, it drops too much, and TCP leaves a fifth of the standard link idle. \
              With several unresponsive flows, or a short queue, the share of each in the queue is too small to be hit \
              often enough.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (params, red): (ChokeParams, RedParams) = read(settings, &PARAMS)?;
        let red = Red::new(red, link)?;
        Ok(Box::new(Choke::new(params, red, link.limit)))
    }
}

#[cfg(test)]
mod tests {

    use crate::rig::{Rig, assert_fits};
    use penstock_core::param::Value;

    /// CHOKe that compares from the first packet on, with a RED that hardly ever drops. Its average equals the queue.
    fn comparing(extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![
            ("min_th", Value::Number(0.0)),
            ("max_th", Value::Number(35.0)),
            ("max_p", Value::Number(0.0)),
            ("w_q", Value::Number(1.0)),
        ];
        settings.extend_from_slice(extra);
        Rig::new("choke", &settings)
    }

    #[test]
    fn a_flow_alone_loses_two_packets_at_each_arrival_above_min_th() {
        let mut rig = Rig::new("choke", &[("min_th", Value::Number(4.0)), ("w_q", Value::Number(1.0))]);
        // the average is the queue found on arrival: 0 .. 4 pass, 5 is above the threshold
        rig.arrive(5);
        assert_eq!(rig.waiting(), 5);
        rig.arrive(1);
        assert_eq!((rig.waiting(), rig.counts.evicted, rig.counts.dropped_on_arrival), (4, 1, 1));
        rig.arrive(2);
        assert_eq!((rig.waiting(), rig.counts.evicted, rig.counts.dropped_on_arrival), (4, 2, 2));
    }

    #[test]
    fn a_flow_is_hit_in_proportion_to_its_share_of_the_queue() {
        // 7 of 8 waiting packets belong to other flows: the gaps between hits of flow 0 are geometric with p = 1/8
        let (mut gap, mut gaps) = (0, Vec::new());
        for seed in 0..4000 {
            let settings = [("min_th", 0.0), ("max_th", 35.0), ("max_p", 0.0), ("w_q", 1.0)]
                .map(|(name, value)| (name.to_string(), Value::Number(value)));
            let mut rig = Rig::on(&crate::rig::thesis_link(), "choke", &settings, seed).unwrap();
            (0..8).for_each(|flow| rig.arrive_from(flow, 1));
            rig.arrive_from(0, 1);
            gap += 1;
            if rig.counts.evicted > 0 {
                gaps.push(core::mem::take(&mut gap));
            }
        }
        assert_fits(&gaps, 1..=20, |n| 0.125 * 0.875_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn front_and_back_compare_with_the_ends() {
        let left = |candidate: &str, flow| {
            let mut rig = comparing(&[("candidate", Value::Text(candidate.into()))]);
            (0..3).for_each(|flow| rig.arrive_from(flow, 1));
            rig.arrive_from(flow, 1);
            rig.waiting()
        };
        assert_eq!([left("front", 0), left("front", 2)], [2, 4]);
        assert_eq!([left("back", 0), left("back", 2)], [4, 2]);
    }

    #[test]
    fn several_draws_drop_each_match_and_the_arrival_once() {
        let queued = |draws| {
            let mut rig = Rig::new(
                "choke",
                &[("min_th", Value::Number(9.0)), ("w_q", Value::Number(1.0)), ("draws", Value::Number(draws))],
            );
            rig.arrive(10);
            rig.arrive(1);
            (rig.waiting(), rig.counts.evicted, rig.counts.dropped_on_arrival)
        };
        assert_eq!([queued(1.0), queued(3.0), queued(20.0)], [(9, 1, 1), (7, 3, 1), (0, 10, 1)]);
    }

    #[test]
    fn order_is_kept_around_the_places_of_evicted_packets() {
        let mut rig = comparing(&[]);
        for _ in 0..50 {
            (0..12).for_each(|flow| rig.arrive_from(flow, 1));
            rig.check();
            (0..6).for_each(|_| {
                rig.depart();
                rig.check();
            });
        }
        assert!(rig.counts.evicted > 20);
        while rig.depart() {}
        assert_eq!(rig.waiting(), 0);
    }
}
