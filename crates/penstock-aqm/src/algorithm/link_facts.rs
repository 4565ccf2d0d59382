//! Facts about the link for AQMs with a target or automatic parameters.

use crate::aqm::LinkInfo;
use alloc::format;
use penstock_core::Bytes;
use penstock_core::param::{LengthOrTime, ParamError};
use penstock_model::{Plant, plant};

/// The parameter `target` in packets, which must lie below the limit of the queue.
pub(crate) fn target(target: LengthOrTime, mean_packet: Bytes, link: &LinkInfo) -> Result<f64, ParamError> {
    let target = target.in_packets(mean_packet, link.rate.packets_per_second(mean_packet));
    match link.limit.in_packets(mean_packet) {
        Some(limit) if target >= limit => {
            let message = format!("must be below the limit of the queue, {limit} packets");
            Err(ParamError::new("target", message))
        }
        _ => Ok(target),
    }
}

/// The flows, the longest round trip and the capacity, for a parameter `name` that is "auto".
pub(crate) fn plant(name: &str, mean_packet: Bytes, link: &LinkInfo) -> Result<Plant, ParamError> {
    let lacks = |what: &str| ParamError::new(name, format!("needs {what}"));
    let capacity = link.rate.packets_per_second(mean_packet);
    let propagation = link.rtt.ok_or_else(|| lacks("the round-trip time: set `rtt` on the link"))?;
    let flows = link.flows.filter(|&flows| flows > 0);
    let flows = flows.ok_or_else(|| lacks("the number of flows: set `flows` on the link"))?;
    let buffer = link.limit.in_packets(mean_packet).ok_or_else(|| lacks("a queue with a limit: set `limit`"))?;
    let rtt = plant::longest_rtt(buffer, capacity, propagation.as_secs());
    if !(capacity > 0.0 && rtt > 0.0) {
        return Err(lacks("a link with a rate and a round trip that takes time"));
    }
    Ok(Plant { flows: f64::from(flows), rtt, capacity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::thesis_link;
    use penstock_core::{Limit, Span};

    #[test]
    fn the_longest_round_trip_is_that_through_a_full_queue() {
        let link = LinkInfo { rtt: Some(Span::from_millis(54)), flows: Some(3), ..thesis_link() };
        let found = plant("a", Bytes(1000), &link).unwrap();
        assert_eq!((found.flows, found.capacity), (3.0, 187.5));
        assert!((found.rtt - 0.240_666_667).abs() < 1e-9);
    }

    #[test]
    fn what_the_link_does_not_say_is_asked_for() {
        let told = LinkInfo { rtt: Some(Span::from_millis(54)), flows: Some(3), ..thesis_link() };
        let message = |link: LinkInfo| plant("a", Bytes(1000), &link).unwrap_err().message;
        let rtt = "needs the round-trip time: set `rtt` on the link";
        assert_eq!(message(LinkInfo { rtt: None, ..told }), rtt);
        let flows = "needs the number of flows: set `flows` on the link";
        assert_eq!(message(LinkInfo { flows: None, ..told }), flows);
        let limit = "needs a queue with a limit: set `limit`";
        assert_eq!(message(LinkInfo { limit: Limit::Infinite, ..told }), limit);
    }
}
