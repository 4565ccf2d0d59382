//! Frames: the packets of real hosts on their way over the links, in a pool of buffers.

use crate::ip;
use penstock_core::{Dscp, Ecn, Packet, PacketMeta};

/// A packet of a real host: its buffer and the facts of its headers. Disciplines hold and copy it; the bytes stay in the
/// [`FramePool`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Buffer of its bytes.
    pub(crate) slot: u32,
    /// Position of the packet: index into the list of all hops of all routes.
    pub(crate) hop: u32,
    /// Number of its flow.
    pub(crate) flow: u32,
    /// Bytes that the packet takes on a link.
    pub(crate) size: u32,
    /// Number of the packet, in the order of arrivals from the hosts.
    pub(crate) number: u32,
    pub(crate) ecn: Ecn,
    pub(crate) dscp: u8,
    pub(crate) protocol: u8,
    /// Whether a link made it as a copy of another packet.
    pub(crate) is_copy: bool,
}

impl Packet for Frame {
    fn meta(&self) -> PacketMeta {
        let Self { flow, size, ecn, dscp, protocol, .. } = *self;
        PacketMeta { flow, size, ecn, dscp, protocol, rare: None }
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }

    fn remark(&mut self, dscp: Dscp) {
        self.dscp = dscp.number();
    }
}

/// Buffers of equal size. Its memory grows with the number of packets on the links, up to a bound.
pub(crate) struct FramePool {
    chunks: Vec<Box<[u8]>>,
    /// Bytes of the frame in each buffer.
    lengths: Vec<u32>,
    free: Vec<u32>,
    width: usize,
    /// Bytes in front of the IP header.
    header: usize,
    max_chunks: usize,
}

/// Buffers in a chunk.
const CHUNK: usize = 256;

impl FramePool {
    /// A pool of buffers of `width` bytes, of which the first `header` precede the IP header; at most `memory` bytes.
    pub(crate) fn new(width: usize, header: usize, memory: usize) -> Self {
        let max_chunks = (memory / (width * CHUNK)).max(1);
        Self { chunks: Vec::new(), lengths: Vec::new(), free: Vec::new(), width, header, max_chunks }
    }

    /// A free buffer; `None` if the memory is exhausted.
    pub(crate) fn take(&mut self) -> Option<u32> {
        if self.free.is_empty() && self.chunks.len() < self.max_chunks {
            let first = (self.chunks.len() * CHUNK) as u32;
            self.chunks.push(vec![0; self.width * CHUNK].into());
            self.lengths.resize(self.lengths.len() + CHUNK, 0);
            self.free.extend((first..first + CHUNK as u32).rev());
        }
        self.free.pop()
    }

    /// A buffer with the same bytes as this one; `None` if the memory is exhausted.
    pub(crate) fn copy(&mut self, slot: u32) -> Option<u32> {
        let copy = self.take()?;
        let length = self.lengths[slot as usize];
        let bytes = self.buffer(slot)[..length as usize].to_vec();
        self.buffer(copy)[..bytes.len()].copy_from_slice(&bytes);
        self.set_length(copy, bytes.len());
        Some(copy)
    }

    /// The buffer is free again.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// The buffers in use.
    pub(crate) fn in_use(&self) -> usize {
        self.lengths.len() - self.free.len()
    }

    /// The whole buffer.
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        let at = slot as usize % CHUNK * self.width;
        &mut self.chunks[slot as usize / CHUNK][at..at + self.width]
    }

    /// The buffer holds a frame of `length` bytes.
    pub(crate) fn set_length(&mut self, slot: u32, length: usize) {
        self.lengths[slot as usize] = length as u32;
    }

    /// The bytes of the IP packet in this buffer.
    pub(crate) fn packet(&mut self, slot: u32) -> &mut [u8] {
        let (header, length) = (self.header, self.lengths[slot as usize] as usize);
        self.buffer(slot).get_mut(header..length).unwrap_or_default()
    }

    /// The bytes of the IP packet as it leaves, with its present ECN field and codepoint.
    pub(crate) fn outgoing_packet(&mut self, frame: &Frame) -> &[u8] {
        let header = self.header;
        &self.outgoing(frame)[header..]
    }

    /// The same with the bytes in front of the IP header.
    pub(crate) fn outgoing(&mut self, frame: &Frame) -> &[u8] {
        let packet = self.packet(frame.slot);
        if let Ok(header) = ip::parse(packet)
            && (header.ecn, header.dscp) != (frame.ecn, frame.dscp)
        {
            ip::set_traffic_class(packet, Dscp::new(frame.dscp).unwrap_or_default(), frame.ecn);
        }
        let length = self.lengths[frame.slot as usize] as usize;
        &self.buffer(frame.slot)[..length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_apart_and_used_again() {
        let mut pool = FramePool::new(100, 0, 100 * CHUNK);
        let slots: Vec<u32> = std::iter::from_fn(|| pool.take()).collect();
        assert_eq!((slots.len(), pool.in_use()), (CHUNK, CHUNK));
        for &slot in &slots {
            pool.buffer(slot).fill(slot as u8);
            pool.set_length(slot, 100);
        }
        assert!(slots.iter().all(|&slot| pool.packet(slot).iter().all(|&byte| byte == slot as u8)));
        assert_eq!(pool.copy(slots[3]), None);
        pool.give_back(slots[7]);
        assert_eq!(pool.copy(slots[3]), Some(slots[7]));
        assert_eq!(pool.packet(slots[7]).to_vec(), vec![slots[3] as u8; 100]);
        pool.give_back(slots[7]);
        assert_eq!((pool.take(), pool.take()), (Some(slots[7]), None));
    }
}
