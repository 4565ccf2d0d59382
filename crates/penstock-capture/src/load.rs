//! A capture as an offered load.

use crate::duplicates::Duplicates;
use crate::packet::{LoadPacket, Packet};
use crate::reader::Reader;
use crate::summary::packets as count_of;
use crate::super_frames::SuperFrames;
use std::path::Path;
use std::time::Duration;

/// The packets of a capture in order of time, as they were on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// At least one packet; the first has time 0.
    pub packets: Vec<LoadPacket>,
    /// One sentence about each peculiarity of the file, for users.
    pub notes: Vec<String>,
}

impl Load {
    /// Read a file.
    ///
    /// # Errors
    /// The reason why the file cannot be used, worded as in [`Reader::open`].
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::from_readers(|| Reader::open(path), |_| ())
    }

    /// The load of a capture that can be read twice. `visit` is called with each packet, in the order of the file.
    pub(crate) fn from_readers(
        open: impl Fn() -> Result<Reader, String>,
        mut visit: impl FnMut(&Packet),
    ) -> Result<Self, String> {
        let mut reader = open()?;
        let mut packets = Vec::new();
        let (mut super_frames, mut duplicates) = (SuperFrames::default(), Duplicates::default());
        for packet in &mut reader {
            let packet = packet?;
            visit(&packet);
            super_frames.note_large(packets.len(), &packet);
            duplicates.note(&packet);
            let (time_ns, size) = (packet.time_ns, packet.length);
            packets.push(LoadPacket { time_ns, size, ecn: packet.ecn, dscp: packet.dscp });
        }
        let mut notes = reader.summary().notes();
        if packets.is_empty() {
            let reasons = if notes.is_empty() { String::new() } else { format!(" to use: {}", notes.join("; ")) };
            return Err(format!("has no packets{reasons}"));
        }
        notes.extend(duplicates.note_text());
        if !super_frames.is_empty() {
            // Evidence of the segment size may follow later in the file; most files need none.
            open()?.try_for_each(|packet| packet.map(|packet| super_frames.note_evidence(&packet)))?;
            notes.extend(super_frames.split(&mut packets)?);
        }
        notes.extend(sort(&mut packets));
        let first = packets[0].time_ns;
        for packet in &mut packets {
            packet.time_ns -= first;
        }
        Ok(Self { packets, notes })
    }
}

/// Sort packets by time, stably. Returns a note if they were not in order.
fn sort(packets: &mut [LoadPacket]) -> Option<String> {
    let steps = packets.windows(2).filter_map(|pair| pair[0].time_ns.checked_sub(pair[1].time_ns));
    let (count, largest) =
        steps.filter(|&step| step > 0).fold((0, 0), |(count, largest), step| (count + 1, step.max(largest)));
    if count == 0 {
        return None;
    }
    packets.sort_by_key(|packet| packet.time_ns);
    let (packets, largest) = (count_of(count, "packet"), Duration::from_nanos(largest));
    Some(format!("{packets} out of order, by {largest:?} at most: sorted by time"))
}

#[cfg(test)]
mod tests;
