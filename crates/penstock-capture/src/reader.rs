//! The packets of a file.

use crate::container::{Container, Frame, Step};
use crate::input::Input;
use crate::ip::Ip;
use crate::link_layer::{Content, Other, content};
use crate::packet::Packet;
use crate::summary::Summary;
use std::path::Path;

/// Maximum number of frames that are read from a file.
pub(crate) const MAX_FRAMES: u64 = 100_000_000;

/// The IP packets of a capture, in the order of the file.
pub struct Reader {
    container: Container,
    summary: Summary,
    is_at_end: bool,
}

impl Reader {
    /// Open a capture and read its header.
    ///
    /// # Errors
    /// The reason why it is not a capture, worded to follow the file name: "is neither a pcap nor a pcapng file: ...".
    pub fn open(path: &Path) -> Result<Self, String> {
        Self::new(Input::open(path)?)
    }

    pub(crate) fn new(input: Input) -> Result<Self, String> {
        Ok(Self { container: Container::open(input)?, summary: Summary::default(), is_at_end: false })
    }

    /// Counts of the frames so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The next IP packet that has a time; `None` at the end of the file, or where the file ends in the middle of a packet.
    fn next_packet(&mut self) -> Result<Option<Packet>, String> {
        while !self.is_at_end {
            let frame = match self.container.step()? {
                Step::Frame(frame) => frame,
                end => {
                    self.summary.is_cut = end == Step::Cut;
                    self.summary.ends_in_zeros = end == Step::Zeros;
                    self.summary.unused_bytes = self.container.unused();
                    self.is_at_end = true;
                    break;
                }
            };
            self.summary.frames += 1;
            if self.summary.frames > MAX_FRAMES {
                return Err(format!("has more than {MAX_FRAMES} packets; split it: editcap -c 10000000 FILE PART"));
            }
            if let Some(packet) = self.packet(frame) {
                return Ok(Some(packet));
            }
        }
        Ok(None)
    }

    /// The IP packet of a frame.
    fn packet(&mut self, frame: Frame) -> Option<Packet> {
        let bytes = self.container.bytes(frame);
        let (before, is_cut) = match content(frame.link_type, bytes) {
            Content::Ip(place) => (place, false),
            Content::Cut(place) => (place, true),
            Content::Other(other) => {
                *self.summary.others.entry(other).or_default() += 1;
                return None;
            }
        };
        let room = frame.length.saturating_sub(before as u32);
        let ip = Ip::parse(if is_cut { &[] } else { &bytes[before.min(bytes.len())..] }, room);
        if ip.length == 0 {
            *self.summary.others.entry(Other::Empty).or_default() += 1;
            return None;
        }
        // Without a link header, the frame is the packet, and has its length.
        self.summary.without_length += u64::from(!ip.has_length && before > 0);
        let Some(time_ns) = frame.time_ns else {
            self.summary.without_time += 1;
            return None;
        };
        let Ip { length, dscp, ecn, headers, .. } = ip;
        Some(Packet { time_ns, interface: frame.interface, length, dscp, ecn, headers })
    }
}

impl Iterator for Reader {
    /// A packet, or the reason why the file cannot be read any further, worded as in [`Reader::open`].
    type Item = Result<Packet, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_packet().transpose();
        self.is_at_end |= matches!(next, Some(Err(_)));
        next
    }
}

#[cfg(test)]
mod tests;
