//! Common Applications Kept Enhanced (CAKE).
//! T. Høiland-Jørgensen, D. Täht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways",
//! IEEE LANMAN, 2018, and the manual page tc-cake(8).
//!
//! # Law
//! * Shaper, if there is a `bandwidth`: in deficit mode, without a bucket of tokens. The next packet may leave at
//!   t_next; each that leaves adds (size + overhead) / bandwidth to it. An arrival at an empty queue sets it to now, if
//!   it is past.
//! * Tins: the codepoint selects one. They take turns by weighted round robin: a turn adds 1024 bytes times the weight
//!   to the tin's credit, and it sends while the credit is above 0; a tin that is empty at its turn has neither credit
//!   nor debt. The weight is the priority while the tin stays below its threshold, its share of the rate: that is,
//!   while a t_next of its own, kept like the shaper's at that rate, is past. Else the weight is the share.
//! * Flows: a set-associative hash with 8 ways gives each a queue of its tin: its own bucket if it is there already,
//!   else the one of the set where it is, else the first of the set, from its own on, with an idle queue, else its own,
//!   shared.
//! * Hosts: the credit of a queue in a round is quantum / n, with n the number of bulk queues of its source or of its
//!   destination in the tin, whichever has more ("triple-isolate"). quantum = what the tin sends in 1/4096 s at its
//!   rate, from 300 bytes to the largest packet of the link. It is rounded by chance: one of 0 .. n - 1 is added before
//!   the division. A shared queue is that of the hosts of the flow that came to it last.
//! * DRR++: a queue that was idle or decaying is sparse, begins with a round's credit and is served first. With its
//!   credit used up (0 or below) it gets more and waits among the bulk queues; it is a bulk queue then, unless it is
//!   empty: that it becomes with its next packet. Found empty while it has credit, a queue stays "decaying" until its
//!   COBALT is at rest (count and p_drop 0, drop_next not to come); each departure from the tin looks at one of these
//!   first.
//! * All credits are charged for the size on the wire, overhead and all.
//! * COBALT in each queue: target = max(rtt / 20, 1.5 MTU times), interval = max(rtt + target - rtt / 20, 2 target),
//!   MTU times at the rate of the tin. No delay is high below 4 MTU times.
//!   The last packet of a queue is judged and may be marked, but it is sent: it is never dropped at the head.
//! * When an arrival exceeds the limit, the longest queue of all tins in bytes, the one used first among equals, loses
//!   its head until the limit holds, and each time its COBALT is called for an overflow.
//!
//! Random numbers: the salt of the hash with the first packet; one for each credit that n > 1 divides; COBALT's.
//!
//! # Parameters
//! `bandwidth` should be a little below the rate of the link, so that the queue forms here. `rtt` is the longest usual
//! round-trip time. Priorities and shares of the tins, the least urgent first:
//!
//! | `diffserv` | tins: priority, share |
//! | --- | --- |
//! | "diffserv3" | Bulk (CS1, LE) 1/16, 1/16; Best Effort 1, 1; Voice (CS7, CS6, EF, VA, TOS4) 16, 1/4 |
//! | "diffserv4" | Bulk; Best Effort; Video (AF4x, AF3x, CS3, AF2x, CS2, TOS4) 4, 1/2; Voice (CS7 .. CS4, EF, VA) 16, 1/4 |
//! | "diffserv8", "precedence" | eight, from 1, 1 on, each 3/2 of the priority and 7/8 of the share of the one before |
//!
//! The eight of "diffserv8": CS1, LE; AF1x, TOS2; all others; AF4x, AF3x, CS3; AF2x, TOS4; CS2; CS5, CS4, EF, VA; CS7,
//! CS6. "precedence" goes by the upper three bits of the codepoint.
//!
//! # Differences
//! * Without `bandwidth` thresholds, quanta and targets follow the rate of the link; Linux, which does not know it, then
//!   has no thresholds, quanta of a largest packet (1514 bytes, its own) and targets by rtt alone.
//! * Hosts are distinguished by their numbers, not by a hash.
//! * Debts of 16 kB and more, of packets that large, are worked off in one go where they take 16384 rounds or more: the
//!   credits of all these rounds are rounded by chance once.
//! * Linux keeps two packets for each bulk queue in its ingress mode alone (tc-cake(8)), which is not here; measured, with
//!   4 and 16 flows of TCP: `tests/integration/linux_qdisc.rs` of penstock-sim.
//! * There is no ACK filter, NAT lookup, ingress mode, washing, nor compensation for ATM cells; the overhead is a number.

mod deficit_shaper;
mod hosts;
mod queue;
mod queues;
mod set_associative_hash;
mod settings;
mod tins;

use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use hosts::Isolation;
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{Bytes, Packet, Rate, Span};
use queues::CakeQueue;
use settings::CakeSettings;
use tins::Diffserv;

penstock_core::params! {
    /// Parameters of CAKE.
    pub struct CakeParams {
        /// Rate of the shaper; absent: no shaping.
        bandwidth: Option<Rate> = Default::Absent, unit: "bit/s", range: 1000.0..=1e13;
        /// How packets are divided into tins by their codepoint.
        diffserv: Diffserv = Default::Text("diffserv3");
        /// The unit of fairness: flows, hosts, or both.
        isolation: Isolation = Default::Text("triple-isolate");
        /// Queues in each tin.
        flows: u32 = Default::Number(1024.0), range: 1.0..=1e6;
        /// Longest usual round-trip time of the flows.
        rtt: Span = Default::Nanos(100_000_000), unit: "s", range: 0.000_01..=1000.0;
        /// Overhead of each packet on the link behind the shaper.
        overhead: Bytes = Default::Number(0.0), unit: "bytes", range: 0.0..=256.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(true);
    }
}

/// CAKE.
pub(crate) struct Cake;

impl Scheme for Cake {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cake",
        aliases: &[],
        family: "flow queueing",
        title: "Common Applications Kept Enhanced",
        source: "T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: A Comprehensive Queue Management Solution for \
                 Home Gateways, IEEE LANMAN, 2018",
        doc: module_doc!("cake.rs"),
        ecn: true,
        params: CakeParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(h) where a host has h busy queues, amortized O(log f) at the limit; O(n + f) memory in packets \
               and flows seen",
        build_law: None,
        picture: Picture::Service,
        good: "Equal shares for hosts and then for their flows, low delay for sparse flows, in one queue that also shapes.",
        bad: "Does most work a packet of all schemes here, most of all where one host has hundreds of busy flows.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let params = CakeParams::from_settings(settings)?;
        let plan = CakeSettings {
            diffserv: params.diffserv,
            isolation: params.isolation,
            flows: params.flows,
            bandwidth: params.bandwidth,
            overhead: params.overhead.0 as u32,
            rtt: params.rtt,
            ecn: params.ecn,
        };
        Ok(Box::new(CakeQueue::new(plan, link, now)))
    }
}

#[cfg(test)]
#[path = "cake/tests.rs"]
mod tests;
