//! The format pcap (draft-ietf-opsawg-pcap), with microseconds or nanoseconds.

use super::{ByteOrder, Frame, KEPT, Step, TOO_SHORT, read_frame};
use crate::input::Input;

/// A file after its header.
pub(super) struct Pcap {
    order: ByteOrder,
    nanos_per_unit: u64,
    link_type: u16,
    frames: u64,
}

impl Pcap {
    /// Read the header behind its magic number.
    pub(super) fn open(magic: u32, input: &mut Input) -> Result<Self, String> {
        let (order, nanos_per_unit) = match magic {
            0xa1b2_c3d4 => (ByteOrder::Big, 1000),
            0xa1b2_3c4d => (ByteOrder::Big, 1),
            0xd4c3_b2a1 => (ByteOrder::Little, 1000),
            0x4d3c_b2a1 => (ByteOrder::Little, 1),
            other => return Err(format!("is neither a pcap nor a pcapng file: it begins with {other:08x}")),
        };
        let mut header = [0; 20];
        if input.fill(&mut header)? < header.len() {
            return Err(TOO_SHORT.to_owned());
        }
        // The upper bits are flags of check sequences.
        let link_type = order.u32(&header, 16) as u16;
        Ok(Self { order, nanos_per_unit, link_type, frames: 0 })
    }

    /// Go to the next frame.
    pub(super) fn step(&mut self, input: &mut Input, start: &mut [u8; KEPT]) -> Result<Step, String> {
        let mut record = [0; 16];
        match input.fill(&mut record)? {
            0 => return Ok(Step::End),
            16 => {}
            _ => return Ok(Step::Cut),
        }
        if record == [0; 16] && input.has_only_zeros()? {
            return Ok(Step::Zeros);
        }
        self.frames += 1;
        let word = |at| self.order.u32(&record, at);
        let length = word(12);
        let Some(kept) = read_frame(input, start, (word(8), length), self.frames)? else { return Ok(Step::Cut) };
        let time_ns = u64::from(word(0)) * 1_000_000_000 + u64::from(word(4)) * self.nanos_per_unit;
        Ok(Step::Frame(Frame { time_ns: Some(time_ns), interface: 0, link_type: self.link_type, length, kept }))
    }
}
