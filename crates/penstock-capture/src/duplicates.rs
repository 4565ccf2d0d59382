//! Packets that were captured twice: on two interfaces (`-i any`), or in front of a router and behind it.

use crate::packet::{Packet, Transport};
use crate::summary::packets as count_of;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// Longest time between the two captures of a packet.
const WINDOW_NS: u64 = 1_000_000;

/// Number of recent packets among which the first capture is searched.
const MAX_RECENT: usize = 4096;

/// Recent packets, and the number of those that were captured twice.
#[derive(Default)]
pub(crate) struct Duplicates {
    recent: HashMap<Identity, (u64, u32)>,
    order: VecDeque<Identity>,
    count: u64,
}

/// The fields that are equal in both captures of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Identity {
    addresses: [IpAddr; 2],
    ports: [u16; 2],
    identification: u16,
    /// Sequence number, acknowledgement number and control bits of TCP.
    tcp: Option<(u32, u32, u16)>,
    length: u32,
}

impl Duplicates {
    /// Count a packet if it was captured shortly before.
    pub(crate) fn note(&mut self, packet: &Packet) {
        let Some(identity) = Identity::of(packet) else { return };
        let (time_ns, interface) = (packet.time_ns, packet.interface);
        match self.recent.insert(identity, (time_ns, interface)) {
            None => self.order.push_back(identity),
            Some((earlier_ns, other)) => {
                // A different packet with the same content has another identification, if the sender sets one.
                let is_same = identity.identification != 0 || other != interface;
                self.count += u64::from(is_same && time_ns.abs_diff(earlier_ns) <= WINDOW_NS);
            }
        }
        if self.order.len() > MAX_RECENT
            && let Some(oldest) = self.order.pop_front()
        {
            self.recent.remove(&oldest);
        }
    }

    /// A note about packets that were captured twice, if there are any.
    pub(crate) fn note_text(&self) -> Option<String> {
        let text = "captured twice within 1 ms, as with -i any, and replayed twice: capture on one interface only";
        (self.count > 0).then(|| format!("{} {text}", count_of(self.count, "packet")))
    }
}

impl Identity {
    /// `None` for packets that may equal another packet by chance.
    fn of(packet: &Packet) -> Option<Self> {
        let headers = packet.headers?;
        let (ports, tcp) = match headers.transport? {
            Transport::Tcp(tcp) => {
                let fields = (tcp.sequence, tcp.acknowledgement, tcp.flags.0);
                ([tcp.source_port, tcp.destination_port], Some(fields))
            }
            Transport::Udp { .. } if headers.identification == 0 => return None,
            Transport::Udp { source_port, destination_port, .. } => ([source_port, destination_port], None),
        };
        let addresses = [headers.source, headers.destination];
        Some(Self { addresses, ports, identification: headers.identification, tcp, length: packet.length })
    }
}
