//! The framing of a link layer: the bytes that an IP packet takes on the wire.

crate::choice! {
    /// How a link layer divides a frame.
    #[derive(Default)]
    pub enum Cells {
        /// Not at all.
        #[default]
        None = "none",
        /// Into cells of 53 bytes, 48 of which are payload; the last cell is padded.
        Atm = "atm",
        /// 64b/65b blocks: one additional byte after each 64 bytes, and after the remaining ones.
        Ptm = "ptm",
    }
}

/// The framing of a link layer, as tc-cake(8) describes it: `overhead` is added to the size of the IP packet, the sum is at
/// least `mpu` (the minimum packet unit), and `cells` divide it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    overhead: i16,
    mpu: u16,
    cells: Cells,
}

impl Framing {
    /// The IP packet without any overhead.
    pub const NONE: Self = Self { overhead: 0, mpu: 0, cells: Cells::None };

    /// The range of `overhead` in bytes; tc-cake(8).
    pub const OVERHEAD: core::ops::RangeInclusive<i16> = -64..=256;

    /// The largest `mpu` in bytes; tc-cake(8).
    pub const LARGEST_MPU: u16 = 256;

    /// The framing with these bytes; `None` if one is out of range.
    pub fn new(overhead: i16, mpu: u16, cells: Cells) -> Option<Self> {
        let fits = Self::OVERHEAD.contains(&overhead) && mpu <= Self::LARGEST_MPU;
        fits.then_some(Self { overhead, mpu, cells })
    }

    /// Whether a packet takes exactly its own size on the wire.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Bytes on the wire of an IP packet of `size` bytes.
    #[inline]
    pub fn wire_size(self, size: u32) -> u32 {
        if self.is_none() { size } else { self.framed(size) }
    }

    fn framed(self, size: u32) -> u32 {
        let frame = size.saturating_add_signed(i32::from(self.overhead)).max(u32::from(self.mpu));
        match self.cells {
            Cells::None => frame,
            Cells::Atm => frame.div_ceil(48).saturating_mul(53),
            Cells::Ptm => frame.saturating_add(frame.div_ceil(64)),
        }
    }

    /// The framing as a number below 0, which [`Framing::unpacked`] decodes.
    pub fn packed(self) -> i32 {
        let bits = i32::from(self.overhead - Self::OVERHEAD.start()) << 11 | i32::from(self.mpu) << 2;
        i32::MIN | bits | self.cells as i32
    }

    /// The framing that [`Framing::packed`] encoded.
    pub fn unpacked(packed: i32) -> Self {
        let cells = match packed & 3 {
            1 => Cells::Atm,
            2 => Cells::Ptm,
            _ => Cells::None,
        };
        let overhead = Self::OVERHEAD.start() + (packed >> 11 & 0x1ff) as i16;
        Self { overhead, mpu: (packed >> 2 & 0x1ff) as u16, cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(overhead: i16, mpu: u16, cells: Cells) -> Framing {
        Framing::new(overhead, mpu, cells).unwrap()
    }

    #[test]
    fn sizes_on_the_wire_are_those_worked_out_by_hand() {
        // Of tc-cake(8)'s keywords: 1500 B, and an ACK of 40 B.
        let cases = [
            ("docsis", framing(18, 64, Cells::None), 1518, 64),
            ("ethernet", framing(38, 84, Cells::None), 1538, 84),
            ("overhead 44", framing(44, 0, Cells::None), 1544, 84),
            ("bridged-ptm", framing(22, 0, Cells::Ptm), 1546, 63),
            ("pppoe-ptm", framing(30, 0, Cells::Ptm), 1554, 72),
            ("pppoe-vcmux", framing(32, 0, Cells::Atm), 32 * 53, 2 * 53),
            ("pppoe-llcsnap", framing(40, 0, Cells::Atm), 33 * 53, 106),
        ];
        for (name, framing, full, ack) in cases {
            assert_eq!((framing.wire_size(1500), framing.wire_size(40)), (full, ack), "{name}");
        }
        // The example of tc-stab(8): 100 B are 3 cells. 31 cells hold 1488 B; one byte more costs a cell.
        assert_eq!(framing(0, 0, Cells::Atm).wire_size(100), 159);
        assert_eq!(framing(40, 0, Cells::Atm).wire_size(1448), 31 * 53);
        assert_eq!(framing(40, 0, Cells::Atm).wire_size(1449), 32 * 53);
        // Sizes saturate.
        for cells in [Cells::None, Cells::Atm, Cells::Ptm] {
            assert_eq!(framing(40, 0, cells).wire_size(u32::MAX), u32::MAX);
        }
    }

    #[test]
    fn a_framing_is_packed_without_loss_and_sizes_are_monotone() {
        for cells in [Cells::None, Cells::Atm, Cells::Ptm] {
            for overhead in Framing::OVERHEAD {
                for mpu in [0, 1, 64, 255, 256] {
                    let framing = framing(overhead, mpu, cells);
                    assert!(framing.packed() < 0);
                    assert_eq!(Framing::unpacked(framing.packed()), framing);
                    assert!((0..3000).is_sorted_by_key(|size| framing.wire_size(size)));
                    assert!(cells != Cells::Atm || framing.wire_size(1500).is_multiple_of(53));
                }
            }
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert_eq!(Framing::new(-65, 0, Cells::None), None);
        assert_eq!(Framing::new(257, 0, Cells::None), None);
        assert_eq!(Framing::new(0, 257, Cells::None), None);
        assert_eq!(framing(-64, 0, Cells::None).wire_size(40), 0);
        assert!(Framing::NONE.is_none() && Framing::NONE.wire_size(1500) == 1500);
    }
}
