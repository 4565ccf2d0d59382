//! Frames of a capture file, with their times and lengths.

mod pcap;
mod pcapng;

use crate::input::Input;
use pcap::Pcap;
use pcapng::PcapNg;

/// Bytes kept of each frame: enough for the link, IP and TCP headers.
pub(crate) const KEPT: usize = 256;

/// Longest plausible frame; a longer one means that the file is damaged. Super-frames have up to 512 KiB.
const LONGEST: u32 = 1 << 20;

/// A file, at one of its frames.
pub(crate) struct Container {
    input: Input,
    format: Format,
    start: [u8; KEPT],
}

enum Format {
    Pcap(Pcap),
    PcapNg(PcapNg),
}

/// The next part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A frame; its bytes are those of [`Container::bytes`].
    Frame(Frame),
    /// The end of the file.
    End,
    /// The end of the file within a frame, or within the header of one.
    Cut,
    /// Zeros up to the end of the file, in place of a frame.
    Zeros,
}

/// A frame without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Nanoseconds since 1970; `None` in the blocks of pcapng that have no time.
    pub(crate) time_ns: Option<u64>,
    pub(crate) interface: u32,
    /// LINKTYPE of the interface.
    pub(crate) link_type: u16,
    /// Bytes on the wire.
    pub(crate) length: u32,
    /// Bytes in the file, at most [`KEPT`].
    pub(crate) kept: usize,
}

impl Container {
    /// Read the header of the file.
    pub(crate) fn open(mut input: Input) -> Result<Self, String> {
        let mut magic = [0; 4];
        if input.fill(&mut magic)? < magic.len() {
            return Err(TOO_SHORT.to_owned());
        }
        let format = match u32::from_be_bytes(magic) {
            pcapng::SECTION => Format::PcapNg(PcapNg::open(&mut input)?),
            magic => Format::Pcap(Pcap::open(magic, &mut input)?),
        };
        Ok(Self { input, format, start: [0; KEPT] })
    }

    /// Go to the next frame.
    pub(crate) fn step(&mut self) -> Result<Step, String> {
        match &mut self.format {
            Format::Pcap(pcap) => pcap.step(&mut self.input, &mut self.start),
            Format::PcapNg(pcapng) => pcapng.step(&mut self.input, &mut self.start),
        }
    }

    /// Bytes after the compressed data of the file, which is at its end.
    pub(crate) fn unused(&self) -> u64 {
        self.input.unused()
    }

    /// The start of the current frame.
    pub(crate) fn bytes(&self, frame: Frame) -> &[u8] {
        &self.start[..frame.kept]
    }
}

const TOO_SHORT: &str = "is not a capture: it ends within its header";

/// Byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    /// The two-byte number at this place.
    fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let number = [bytes[at], bytes[at + 1]];
        match self {
            Self::Big => u16::from_be_bytes(number),
            Self::Little => u16::from_le_bytes(number),
        }
    }

    /// The four-byte number at this place.
    fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let number = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        match self {
            Self::Big => u32::from_be_bytes(number),
            Self::Little => u32::from_le_bytes(number),
        }
    }

    /// The eight-byte number at this place.
    fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let (first, second) = (u64::from(self.u32(bytes, at)), u64::from(self.u32(bytes, at + 4)));
        match self {
            Self::Big => first << 32 | second,
            Self::Little => second << 32 | first,
        }
    }
}

/// Read the bytes of a frame: `kept` in the file, `length` on the wire. Returns the number of bytes in `start`; `None`
/// if the file ends first. `number` counts frames from 1, for messages.
fn read_frame(
    input: &mut Input,
    start: &mut [u8; KEPT],
    (kept, length): (u32, u32),
    number: u64,
) -> Result<Option<usize>, String> {
    if kept > length || length > LONGEST || length == 0 {
        return Err(format!("packet {number} has an impossible length: {length} bytes, {kept} of them captured"));
    }
    let count = (kept as usize).min(KEPT);
    let is_whole = input.fill(&mut start[..count])? == count && input.skip(u64::from(kept) - count as u64)?;
    Ok(is_whole.then_some(count))
}
