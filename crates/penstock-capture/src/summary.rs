//! Notes about the packets that a reader leaves out, or whose length it derives from the frame.

use crate::link_layer::Other;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts of the frames of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames read so far.
    pub frames: u64,
    /// IP packets whose length is taken from their frame, because the file lacks the length field or its value is
    /// impossible.
    pub without_length: u64,
    /// IP packets without a time.
    pub without_time: u64,
    /// Whether the file ends within a frame.
    pub is_cut: bool,
    /// Whether zeros follow the last frame up to the end of the file, as in a file that was allocated in advance.
    pub ends_in_zeros: bool,
    /// Bytes after the compressed data, which are no further part of it and not zeros; counted at the end of the file.
    pub unused_bytes: u64,
    /// Frames without an IP packet, by kind.
    pub(crate) others: BTreeMap<Other, u64>,
}

impl Summary {
    /// One sentence about each peculiarity, for users.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_cut {
            notes.push(format!("the file ends in the middle of packet {}, which is not used", self.frames + 1));
        }
        if self.ends_in_zeros {
            notes.push(format!("the file has only zeros after packet {}, which are not used", self.frames));
        }
        if self.unused_bytes > 0 {
            notes.push(format!("{} after the compressed data and not used", packets(self.unused_bytes, "byte")));
        }
        if let Some(kinds) = self.kinds() {
            let count = self.others.values().sum();
            notes.push(format!("{} not IP and not used: {kinds}", packets(count, "frame")));
        }
        if self.without_length > 0 {
            let count = packets(self.without_length, "packet");
            notes.push(format!("{count} without a possible length in the IP header: the frame length is used"));
        }
        if self.without_time > 0 {
            notes.push(format!(
                "{} without a timestamp (Simple Packet Block) and not used",
                packets(self.without_time, "packet")
            ));
        }
        notes
    }

    /// The kinds of frames without an IP packet, with their numbers; the most frequent first.
    pub(crate) fn kinds(&self) -> Option<String> {
        let mut kinds: Vec<_> = self.others.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut text = String::new();
        for (number, (kind, count)) in kinds.iter().enumerate().take(MAX_KINDS) {
            let separator = if number == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}{kind} ({count})");
        }
        if kinds.len() > MAX_KINDS {
            let _ = write!(text, " and {} more kinds", kinds.len() - MAX_KINDS);
        }
        (!kinds.is_empty()).then_some(text)
    }
}

/// Kinds named in a note.
const MAX_KINDS: usize = 6;

/// "1 packet is", "2 packets are".
pub(crate) fn packets(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun} is") } else { format!("{count} {noun}s are") }
}
