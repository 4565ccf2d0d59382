//! The format pcapng (draft-ietf-opsawg-pcapng): sections of either byte order, whose interfaces have their own link types
//! and units of time. Blocks without packets are skipped.

use super::{ByteOrder, Frame, KEPT, Step, TOO_SHORT, read_frame};
use crate::input::Input;

/// Type of a section header block, the same in both byte orders.
pub(super) const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// Largest number of interfaces.
const MAX_INTERFACES: usize = 1 << 16;

/// Size of a block's type and length fields, and of the length field behind the block.
const FRONT: u32 = 8;
const BACK: u32 = 4;

/// A file after its first section header.
pub(super) struct PcapNg {
    order: ByteOrder,
    interfaces: Vec<Interface>,
    /// Interfaces of earlier sections.
    earlier: u32,
    frames: u64,
}

#[derive(Clone, Copy)]
struct Interface {
    link_type: u16,
    /// Bytes kept of a frame at most; 0 for all.
    snap_length: u32,
    clock: Clock,
}

/// The unit of times, and the time that 0 denotes.
#[derive(Clone, Copy)]
struct Clock {
    /// Option if_tsresol: a negative power of 10 or, with the highest bit set, of 2, in seconds.
    resolution: u8,
    /// Option if_tsoffset, in seconds.
    offset_s: i64,
}

/// A block whose body is being read.
struct Block {
    length: u32,
    /// Bytes of the body that are not read yet.
    rest: u32,
}

impl PcapNg {
    /// Read the first section header; the type of its block has already been read.
    pub(super) fn open(input: &mut Input) -> Result<Self, String> {
        let mut pcapng = Self { order: ByteOrder::Little, interfaces: Vec::new(), earlier: 0, frames: 0 };
        let mut length = [0; 4];
        let is_whole = input.fill(&mut length)? == length.len() && pcapng.read_section(input, length)?;
        if is_whole { Ok(pcapng) } else { Err(TOO_SHORT.to_owned()) }
    }

    /// Go to the next frame.
    pub(super) fn step(&mut self, input: &mut Input, start: &mut [u8; KEPT]) -> Result<Step, String> {
        loop {
            let mut front = [0; FRONT as usize];
            match input.fill(&mut front)? {
                0 => return Ok(Step::End),
                8 => {}
                _ => return Ok(Step::Cut),
            }
            if front == [0; FRONT as usize] && input.has_only_zeros()? {
                return Ok(Step::Zeros);
            }
            let kind = self.order.u32(&front, 0);
            if kind == SECTION {
                if !self.read_section(input, [front[4], front[5], front[6], front[7]])? {
                    return Ok(Step::Cut);
                }
                continue;
            }
            let mut block = self.block(self.order.u32(&front, 4))?;
            let frame = match kind {
                ENHANCED_PACKET | OBSOLETE_PACKET => self.packet(input, start, &mut block, kind)?,
                SIMPLE_PACKET => self.simple_packet(input, start, &mut block)?,
                INTERFACE if !self.interface(input, &mut block)? => return Ok(Step::Cut),
                _ => None,
            };
            let is_packet = matches!(kind, ENHANCED_PACKET | OBSOLETE_PACKET | SIMPLE_PACKET);
            if (is_packet && frame.is_none()) || !self.end(input, &block)? {
                return Ok(Step::Cut);
            }
            if let Some(frame) = frame {
                return Ok(Step::Frame(frame));
            }
        }
    }

    /// Read a section header block, whose length has these bytes; false if the file ends first.
    fn read_section(&mut self, input: &mut Input, length: [u8; 4]) -> Result<bool, String> {
        let mut magic = [0; 4];
        if input.fill(&mut magic)? < magic.len() {
            return Ok(false);
        }
        self.order = match magic {
            [0x1a, 0x2b, 0x3c, 0x4d] => ByteOrder::Big,
            [0x4d, 0x3c, 0x2b, 0x1a] => ByteOrder::Little,
            _ => return Err("is not a pcapng file: its section header has no byte-order magic".to_owned()),
        };
        self.earlier += self.interfaces.len() as u32;
        self.interfaces.clear();
        let mut block = self.block(self.order.u32(&length, 0))?;
        block.rest = block.rest.checked_sub(4).ok_or_else(|| self.damaged("a section header without content"))?;
        self.end(input, &block)
    }

    /// Read an interface description block; false if the file ends first.
    fn interface(&mut self, input: &mut Input, block: &mut Block) -> Result<bool, String> {
        let mut head = [0; 8];
        let is_whole = self.fill(input, block, &mut head)?;
        let mut interface = Interface {
            link_type: self.order.u16(&head, 0),
            snap_length: self.order.u32(&head, 4),
            clock: Clock { resolution: 6, offset_s: 0 },
        };
        if !is_whole || !self.options(input, block, &mut interface.clock)? {
            return Ok(false);
        }
        if self.interfaces.len() + self.earlier as usize >= MAX_INTERFACES {
            return Err(format!("has more than {MAX_INTERFACES} interfaces"));
        }
        self.interfaces.push(interface);
        Ok(true)
    }

    /// Read the options of an interface; false if the file ends first.
    fn options(&self, input: &mut Input, block: &mut Block, clock: &mut Clock) -> Result<bool, String> {
        while block.rest >= 4 {
            let mut head = [0; 4];
            if !self.fill(input, block, &mut head)? {
                return Ok(false);
            }
            let (code, length) = (self.order.u16(&head, 0), self.order.u16(&head, 2));
            let padded = u32::from(length).next_multiple_of(4);
            let mut value = [0; 8];
            let count = padded.min(value.len() as u32);
            if padded > block.rest {
                return Err(self.damaged("an option that is longer than its block"));
            }
            if !self.fill(input, block, &mut value[..count as usize])? || !input.skip(u64::from(padded - count))? {
                return Ok(false);
            }
            block.rest -= padded - count;
            match (code, length) {
                (0, _) => break,
                (9, 1) => clock.resolution = value[0],
                (14, 8) => clock.offset_s = self.order.u64(&value, 0).cast_signed(),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Read an enhanced packet block, or the obsolete packet block; `None` if the file ends first.
    fn packet(
        &mut self,
        input: &mut Input,
        start: &mut [u8; KEPT],
        block: &mut Block,
        kind: u32,
    ) -> Result<Option<Frame>, String> {
        self.frames += 1;
        let mut head = [0; 20];
        if !self.fill(input, block, &mut head)? {
            return Ok(None);
        }
        let word = |at| self.order.u32(&head, at);
        let number = if kind == ENHANCED_PACKET { word(0) } else { u32::from(self.order.u16(&head, 0)) };
        let interface = self.interface_of(number)?;
        let ticks = u64::from(word(4)) << 32 | u64::from(word(8));
        let time_ns = Some(interface.clock.nanoseconds(ticks));
        let (kept, length) = (word(12), word(16));
        self.frame(input, start, block, (kept, length)).map(|kept| {
            let interface_number = self.earlier + number;
            kept.map(|kept| Frame {
                time_ns,
                interface: interface_number,
                link_type: interface.link_type,
                length,
                kept,
            })
        })
    }

    /// Read a simple packet block, which has no time; `None` if the file ends first.
    fn simple_packet(
        &mut self,
        input: &mut Input,
        start: &mut [u8; KEPT],
        block: &mut Block,
    ) -> Result<Option<Frame>, String> {
        self.frames += 1;
        let mut head = [0; 4];
        if !self.fill(input, block, &mut head)? {
            return Ok(None);
        }
        let (interface, length) = (self.interface_of(0)?, self.order.u32(&head, 0));
        let snap_length = if interface.snap_length == 0 { u32::MAX } else { interface.snap_length };
        let kept = length.min(snap_length).min(block.rest);
        let link_type = interface.link_type;
        self.frame(input, start, block, (kept, length))
            .map(|kept| kept.map(|kept| Frame { time_ns: None, interface: self.earlier, link_type, length, kept }))
    }

    /// Read the bytes of a frame, like [`read_frame`].
    fn frame(
        &self,
        input: &mut Input,
        start: &mut [u8; KEPT],
        block: &mut Block,
        lengths: (u32, u32),
    ) -> Result<Option<usize>, String> {
        block.rest = block.rest.checked_sub(lengths.0).ok_or_else(|| self.damaged("more bytes than its block"))?;
        read_frame(input, start, lengths, self.frames)
    }

    fn interface_of(&self, number: u32) -> Result<Interface, String> {
        let interface = self.interfaces.get(number as usize).copied();
        interface.ok_or_else(|| self.damaged(&format!("interface {number}, which no earlier block describes")))
    }

    /// A block of this length. Errors on impossible lengths.
    fn block(&self, length: u32) -> Result<Block, String> {
        if length < FRONT + BACK || !length.is_multiple_of(4) {
            return Err(self.damaged(&format!("a block of {length} bytes")));
        }
        Ok(Block { length, rest: length - FRONT - BACK })
    }

    /// Read bytes of the body of a block; false if the file ends first.
    fn fill(&self, input: &mut Input, block: &mut Block, buffer: &mut [u8]) -> Result<bool, String> {
        let count = buffer.len() as u32;
        block.rest = block.rest.checked_sub(count).ok_or_else(|| self.damaged("a block that is too short"))?;
        Ok(input.fill(buffer)? == buffer.len())
    }

    /// Skip the rest of a block, and check that its length is repeated behind it; false if the file ends first.
    fn end(&self, input: &mut Input, block: &Block) -> Result<bool, String> {
        let mut back = [0; BACK as usize];
        if !input.skip(u64::from(block.rest))? || input.fill(&mut back)? < back.len() {
            return Ok(false);
        }
        match self.order.u32(&back, 0) {
            length if length == block.length => Ok(true),
            length => Err(self.damaged(&format!("a block of {} bytes whose final length is {length}", block.length))),
        }
    }

    fn damaged(&self, content: &str) -> String {
        format!("is damaged after {} packets: it has {content}", self.frames)
    }
}

impl Clock {
    /// A timestamp in nanoseconds since 1970; times before 1970 or after 2554 are clamped to this range.
    fn nanoseconds(self, ticks: u64) -> u64 {
        let (ticks, power) = (u128::from(ticks), u32::from(self.resolution & 0x7f));
        let nanos = match self.resolution {
            0..=9 => ticks * 10_u128.pow(9 - power),
            10..=0x7f => 10_u128.checked_pow(power - 9).map_or(0, |divisor| ticks / divisor),
            0x80.. => (ticks * 1_000_000_000) >> power,
        };
        let shifted = nanos.cast_signed() + i128::from(self.offset_s) * 1_000_000_000;
        shifted.clamp(0, i128::from(u64::MAX)) as u64
    }
}
