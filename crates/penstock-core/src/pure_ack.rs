//! The facts of a pure TCP acknowledgement.

use core::ops::Deref;

/// Numbers from `start` up to, but not including, `end` (RFC 2018, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First number of the block.
    pub start: u32,
    /// The number after the last one of the block.
    pub end: u32,
}

/// A TCP segment that has the flag ACK and no payload, and none of the flags SYN, FIN, RST, URG and PSH. Its numbers
/// count bytes on a real link and packets in the simulator; they are compared modulo 2^32 (RFC 9293, section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PureAck {
    /// Number of its connection, for a flow whose connections follow one another.
    pub connection: u32,
    /// The next number expected: all below it are acknowledged.
    pub number: u32,
    /// The flags AE, CWR and ECE as one number (RFC 9768, section 3.2.2: the field ACE).
    pub ace: u8,
    /// The sender's timestamp, if the option is present (RFC 7323).
    pub timestamp: Option<u32>,
    /// Whether it has options other than SACK blocks, timestamps and padding.
    pub has_other_options: bool,
    /// Its SACK blocks.
    pub blocks: Blocks,
}

/// The SACK blocks of a TCP header, whose options have room for four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    places: [Block; 4],
    count: u8,
}

impl FromIterator<Block> for Blocks {
    /// A fifth block is left out.
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Self {
        let mut all = Self::default();
        for (place, block) in all.places.iter_mut().zip(blocks) {
            *place = block;
            all.count += 1;
        }
        all
    }
}

impl Deref for Blocks {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        &self.places[..usize::from(self.count)]
    }
}

/// Whether `a` is not after `b`, modulo 2^32.
pub const fn is_at_most(a: u32, b: u32) -> bool {
    b.wrapping_sub(a) < 1 << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_modulo_two_to_the_32() {
        assert!(is_at_most(5, 5) && is_at_most(5, 6) && !is_at_most(6, 5));
        assert!(is_at_most(u32::MAX, 3) && !is_at_most(3, u32::MAX));
    }

    #[test]
    fn a_fifth_block_is_left_out() {
        let block = |start| Block { start, end: start + 1 };
        let blocks: Blocks = (0..5).map(|i| block(10 * i)).collect();
        assert_eq!(*blocks, [block(0), block(10), block(20), block(30)]);
        assert!(Blocks::default().is_empty());
    }
}
