//! Flow Queue PIE (FQ-PIE).
//! Linux, net/sched/sch_fq_pie, 2020: the queues of FQ-CoDel (T. Hoeiland-Joergensen et al., RFC 8290, 2018), each
//! guarded by a PIE (R. Pan et al., RFC 8033, 2017). No paper defines it; this is what its documentation says.
//!
//! # Law
//! A salted hash gives each flow one of `flows` queues. An arriving packet is judged by the PIE of its queue, on the
//! delay and the backlog of that queue; what it lets pass and the limit admits is queued. Every `t_update` the
//! probabilities of all queues are updated. The queues are served as those of FQ-CoDel: deficit round robin with the
//! queues that were idle ahead of the others (RFC 8290, section 4.2).
//!
//! One random number is drawn with the first packet, the salt; for the others see PIE.
//!
//! # Parameters
//! Those of PIE, for each queue, in the variant "linux", and `flows` and `quantum`. Linux' limit is 10240 packets for all
//! queues together; it is the limit of the queue here.
//!
//! # Differences
//! * An arrival that exceeds the limit is itself dropped; FQ-CoDel takes from the queue with most bytes.
//! * The limit is tested after PIE, in Linux before it.
//! * The hash is that of the number of the flow instead of the addresses, and reduced to a queue by multiplication.
//! * `variant = "extended"` turns a PIE on where its own queue fills a third of the limit of all of them.

use super::flow_queue::{FlowQueue, FlowQueueParams, Occupancy, Overflow};
use super::{Discipline, Probe};
use crate::law::pie::{Pie, PieParams};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};

const PARAMS: [ParamInfo; inherited_len(FlowQueueParams::INFO, PieParams::INFO)] =
    inherit(FlowQueueParams::INFO, PieParams::INFO, &[("variant", Default::Text("linux"))]);

/// FQ-PIE.
pub(crate) struct FqPie;

impl Scheme for FqPie {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fq-pie",
        aliases: &[],
        family: "flow queueing",
        title: "Flow Queue PIE",
        source: "Linux, sch_fq_pie, 2020; RFC 8290 and RFC 8033",
        doc: module_doc!("fq_pie.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time a packet, O(f) every t_update; O(n + f) memory in packets and flows seen",
        build_law: None,
        picture: Picture::Service,
        good: "Equal shares of the link with the work done at the arrival; a few flows keep a delay near target.",
        bad: "PIE spares a queue of two packets, so that many flows on a slow link fill the buffer; an arrival at a \
              full buffer is lost whoever filled it; updates every queue ever used at each tick.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (queues, pie): (FlowQueueParams, PieParams) = read(settings, &PARAMS)?;
        let (queues, pie) = (queues, Pie::new(pie, link, now));
        Ok(Box::new(FlowQueue::new(&queues, pie, Overflow::Arrival, Occupancy::Queue, link)))
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::Cause;
    use crate::discipline::recorder::{Bench, Fate};
    use penstock_core::Span;

    #[test]
    fn a_flood_does_not_touch_its_neighbour() {
        // 1.5 Mbit/s: a packet of 1000 bytes every 5.33 ms. Flow 0 offers three of them in that time, flow 1 one in three.
        let mut bench = Bench::new("fq-pie", &[]);
        bench.limit_packets(10_240);
        let (mut sent, mut lost) = ([0; 2], [0; 2]);
        let mut owner = Vec::new();
        for slot in 0..6000 {
            for flow in [0, 0, 0, 1] {
                if flow == 0 || slot % 3 == 0 {
                    owner.push(flow);
                    bench.arrive_from(flow as u32, 1000);
                }
            }
            if let Some(packet) = bench.depart() {
                sent[packet.flow as usize] += 1;
            }
            bench.advance(Span::from_nanos(5_333_333));
        }
        for &(fate, number) in &bench.log.0 {
            lost[owner[number as usize]] += usize::from(matches!(fate, Fate::Dropped(Cause::Early)));
        }
        assert_eq!(lost[1], 0);
        assert!(sent[1] >= 1999, "{} of 2000", sent[1]);
        // the flood gets the rest; what it offers beyond that is dropped, but for what stands in the queue
        assert!(lost[0] > 12_000, "{} of 18 000 lost", lost[0]);
    }

    #[test]
    fn an_arrival_at_a_full_buffer_is_lost_itself() {
        let mut bench = Bench::new("fq-pie", &[]);
        bench.limit_packets(3);
        (0..3).for_each(|_| bench.arrive_from(0, 1000));
        bench.arrive_from(1, 1000);
        assert_eq!(bench.log.0[3], (Fate::Dropped(Cause::Overflow), 3));
        assert_eq!(bench.depart_all(), [0, 1, 2]);
    }

    #[test]
    fn all_probabilities_are_updated_even_those_of_queues_yet_to_come() {
        // A queue first used after a minute acts as one used at the start: no burst of overdue updates.
        let mut bench = Bench::new("fq-pie", &[]);
        bench.advance(Span::from_millis(60_000));
        (0..10).for_each(|_| bench.arrive_from(0, 1000));
        bench.advance(Span::from_millis(1000));
        assert_eq!(bench.depart_all().len(), 10);
    }
}
