//! Replay: datagrams with the sizes, the intervals, the ECN fields and the codepoints of recorded packets.
//!
//! Crate `penstock-capture` reads the files. The first packet leaves at the start of the flow, the others at their recorded
//! times after it, in open loop.

use crate::traffic::datagram::Datagram;
#[cfg(feature = "captures")]
use penstock_capture::{Load, LoadPacket};
use penstock_core::{Ecn, Span};
use std::path::Path;
use std::sync::Arc;

/// A recorded packet: nanoseconds since the first one, bytes, and two fields of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) at_ns: u64,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
    pub(crate) dscp: u8,
}

/// A source that sends recorded packets.
pub(crate) struct Replay {
    packets: Arc<[Recorded]>,
    headers: u32,
    pub(crate) sent: u32,
}

impl Replay {
    /// A source of these packets, with this number of header bytes in each.
    pub(crate) fn new(packets: Arc<[Recorded]>, headers: u32) -> Self {
        Self { packets, headers, sent: 0 }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&self) -> Span {
        if self.packets.is_empty() { NEVER } else { Span::ZERO }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        let Recorded { at_ns, size, ecn, dscp } = self.packets[self.sent as usize];
        let seq = self.sent;
        self.sent += 1;
        let following = self.packets.get(self.sent as usize);
        let gap = following.map_or(NEVER, |next| Span::from_nanos(next.at_ns - at_ns));
        Datagram { payload: size.saturating_sub(self.headers), size, seq, gap, ecn, dscp, frame: None }
    }
}

/// Longer than any run.
const NEVER: Span = Span::from_nanos(1_000_000_000_000_000_000);

/// The packets of a capture, or why they cannot be replayed.
#[cfg(feature = "captures")]
pub(crate) fn read(path: &Path) -> Result<Arc<[Recorded]>, String> {
    let recorded = |packet: LoadPacket| {
        let LoadPacket { time_ns: at_ns, size, ecn, dscp } = packet;
        Recorded { at_ns, size, ecn, dscp }
    };
    Ok(Load::read(path)?.packets.into_iter().map(recorded).collect())
}

/// Captures are not read in this build.
#[cfg(not(feature = "captures"))]
pub(crate) fn read(_path: &Path) -> Result<Arc<[Recorded]>, String> {
    Err("cannot be read: this build of the engine reads no captures".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(times: [u64; 3], sizes: [u32; 3]) -> Vec<Recorded> {
        times.into_iter().zip(sizes).map(|(at_ns, size)| Recorded { at_ns, size, ecn: Ecn::Not, dscp: 0 }).collect()
    }

    #[test]
    fn packets_leave_at_their_distances() {
        let mut source = Replay::new(recorded([0, 5, 9], [100, 20, 1000]).into(), 28);
        assert_eq!(source.first_gap(), Span::ZERO);
        let sent: Vec<_> = (0..3).map(|_| source.next()).map(|it| (it.seq, it.size, it.payload, it.gap)).collect();
        let nanos = Span::from_nanos;
        assert_eq!(sent, [(0, 100, 72, nanos(5)), (1, 20, 0, nanos(4)), (2, 1000, 972, NEVER)]);
    }
}
