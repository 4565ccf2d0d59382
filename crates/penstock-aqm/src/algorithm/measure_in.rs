//! The unit of a queue: packets or bytes.

use crate::aqm::{Backlog, LinkInfo};
use penstock_core::Bytes;
use penstock_core::param::Length;

penstock_core::choice! {
    /// Unit in which queue and thresholds are measured.
    pub enum MeasureIn {
        /// Waiting packets.
        Packets = "packets",
        /// Waiting bytes.
        Bytes = "bytes",
    }
}

impl MeasureIn {
    /// The queue in this unit.
    #[inline]
    pub(crate) fn backlog(self, queue: &Backlog) -> f64 {
        match self {
            Self::Packets => f64::from(queue.packets),
            Self::Bytes => queue.bytes as f64,
        }
    }

    /// A length in this unit; a packet counts as `mean_packet` bytes.
    pub(crate) fn length(self, length: Length, mean_packet: Bytes) -> f64 {
        let mean_packet = mean_packet.0 as f64;
        match (length, self) {
            (Length::Packets(packets), Self::Packets) => packets,
            (Length::Packets(packets), Self::Bytes) => packets * mean_packet,
            (Length::Bytes(bytes), Self::Packets) => bytes / mean_packet,
            (Length::Bytes(bytes), Self::Bytes) => bytes,
        }
    }

    /// An amount in this unit as a length.
    pub(crate) fn length_of(self, amount: f64) -> Length {
        match self {
            Self::Packets => Length::Packets(amount),
            Self::Bytes => Length::Bytes(amount),
        }
    }

    /// The limit of the queue in this unit; infinite where there is none.
    pub(crate) fn limit(self, link: &LinkInfo, mean_packet: Bytes) -> f64 {
        let packets = link.limit.in_packets(mean_packet);
        packets.map_or(f64::INFINITY, |packets| self.length(Length::Packets(packets), mean_packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::thesis_link;
    use penstock_core::Limit;

    #[test]
    fn lengths_are_converted_by_the_mean_packet() {
        let both = |length| [MeasureIn::Packets, MeasureIn::Bytes].map(|unit| unit.length(length, Bytes(500)));
        assert_eq!(both(Length::Packets(3.0)), [3.0, 1500.0]);
        assert_eq!(both(Length::Bytes(750.0)), [1.5, 750.0]);
    }

    #[test]
    fn a_queue_without_limit_has_an_infinite_one() {
        let limit = |limit, unit: MeasureIn| unit.limit(&LinkInfo { limit, ..thesis_link() }, Bytes(500));
        assert_eq!(limit(Limit::Packets(35), MeasureIn::Bytes), 17_500.0);
        assert_eq!(limit(Limit::Bytes(35_000), MeasureIn::Packets), 70.0);
        assert_eq!(limit(Limit::Infinite, MeasureIn::Packets), f64::INFINITY);
    }
}
