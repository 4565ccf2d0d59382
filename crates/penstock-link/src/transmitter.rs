//! The transmitter of a link: the time that each packet takes, exact in the long run.

use penstock_core::{Framing, Rate, Span};

/// Transmission times at a fixed rate. The remainder of each division is carried to the next packet, so that the rate is
/// exact in the long run.
pub struct Transmitter {
    rate: u64,
    /// Nanoseconds per byte if that is a whole number, as with the rates of most links; else 0. A number below 0 is the
    /// packed framing, so that a [`Transmitter`] with its link fits in a cache line.
    nanos_per_byte: i32,
    /// Fraction of a nanosecond carried to the next packet, in units of 1 / rate.
    carried: u64,
    /// Size of the last packet, and its transmission time as whole nanoseconds and remainder: most packets have the
    /// same size as the previous one.
    size: u32,
    nanos: u64,
    rest: u64,
}

impl Transmitter {
    /// A transmitter of IP packets in this framing, with this rate, which must not be 0.
    pub fn new(rate: Rate, framing: Framing) -> Self {
        let rate = rate.bits_per_second();
        let nanos_per_byte = if framing.is_none() { nanos_per_byte(rate) } else { framing.packed() };
        let mut transmitter = Self { rate, nanos_per_byte, carried: 0, size: 0, nanos: 0, rest: 0 };
        transmitter.memorize(0);
        transmitter
    }

    /// Bytes on the wire of an IP packet of `size` bytes.
    #[inline]
    pub(crate) fn wire_size(&self, size: u32) -> u32 {
        if self.nanos_per_byte < 0 { Framing::unpacked(self.nanos_per_byte).wire_size(size) } else { size }
    }

    fn memorize(&mut self, size: u32) {
        let work = u64::from(self.wire_size(size)) * BYTE;
        (self.size, self.nanos, self.rest) = (size, work / self.rate, work % self.rate);
    }

    /// Nominal rate.
    pub fn rate(&self) -> Rate {
        Rate::from_bits_per_second(self.rate)
    }

    /// Use another rate, which must not be 0, from the next packet on. The carried fraction is kept.
    pub fn set_rate(&mut self, rate: Rate) {
        let new = rate.bits_per_second();
        self.carried = (u128::from(self.carried) * u128::from(new) / u128::from(self.rate)) as u64;
        self.rate = new;
        if self.nanos_per_byte >= 0 {
            self.nanos_per_byte = nanos_per_byte(new);
        }
        self.memorize(0);
    }

    /// Part of the packet in transmission that is sent in the last `rest` of its transmission time, in 1e-9 bits.
    pub fn unsent(&self, rest: Span) -> u128 {
        u128::from(self.rate) * u128::from(rest.as_nanos()) + u128::from(self.carried)
    }

    /// Like [`Transmitter::unsent`], for a packet after which packets of the sizes `later` were transmitted ahead of
    /// time.
    pub fn unsent_before(&self, rest: Span, later: impl Iterator<Item = u32>) -> u128 {
        let carried_since =
            later.fold(0, |sum, size| (sum + u64::from(self.wire_size(size)) * BYTE % self.rate) % self.rate);
        let carried = (u128::from(self.carried) + u128::from(self.rate - carried_since)) % u128::from(self.rate);
        u128::from(self.rate) * u128::from(rest.as_nanos()) + carried
    }

    /// Transmission time of the next packet, of `size` bytes.
    #[inline]
    pub fn transmission(&mut self, size: u32) -> Span {
        if self.nanos_per_byte > 0 {
            return Span::from_nanos(u64::from(size) * u64::from(self.nanos_per_byte.unsigned_abs()));
        }
        if size != self.size {
            self.memorize(size);
        }
        let mut nanos = self.nanos;
        if self.rest == 0 {
            return Span::from_nanos(nanos);
        }
        self.carried += self.rest;
        if self.carried >= self.rate {
            self.carried -= self.rate;
            nanos += 1;
        }
        Span::from_nanos(nanos)
    }
}

/// A byte in 1e-9 bits.
const BYTE: u64 = 8_000_000_000;

/// The transmission time of a byte at `rate` in bits per second, if it is a whole number of nanoseconds; else 0.
fn nanos_per_byte(rate: u64) -> i32 {
    if BYTE.is_multiple_of(rate) { i32::try_from(BYTE / rate).unwrap_or(0) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Cells;

    fn unframed(rate: Rate) -> Transmitter {
        Transmitter::new(rate, Framing::NONE)
    }

    #[test]
    fn the_rate_is_exact_in_the_long_run() {
        let mut transmitter = unframed(Rate::from_bits_per_second(3_000_000));
        let total: u64 = (0..3000).map(|k| transmitter.transmission(1000 + k % 2).as_nanos()).sum();
        assert_eq!(total, (1500 * 1000 + 1500 * 1001) * 8 * 1000 / 3);
    }

    #[test]
    fn at_rates_with_whole_nanoseconds_a_byte_no_packet_is_rounded() {
        // At the slowest rate, the time of a byte exceeds 32 bits.
        for rate in [1, 2, 1000, 10_000_000, 500_000_000, 8_000_000_000] {
            let mut transmitter = unframed(Rate::from_bits_per_second(rate));
            for size in [0, 1, 40, 1500, 41, 65_535] {
                assert_eq!(transmitter.transmission(size).as_nanos(), u64::from(size) * 8_000_000_000 / rate);
            }
        }
    }

    #[test]
    fn packets_transmitted_ahead_of_time_do_not_change_the_unsent_part_of_an_earlier_one() {
        for rate in [3_000_000, 7_777_777, 10_000_000] {
            let mut transmitter = unframed(Rate::from_bits_per_second(rate));
            transmitter.transmission(1499);
            transmitter.transmission(40);
            let rest = Span::from_nanos(12_345);
            let unsent = transmitter.unsent(rest);
            let later = [1500, 1, 576, 1500];
            for size in later {
                transmitter.transmission(size);
            }
            assert_eq!(transmitter.unsent_before(rest, later.into_iter()), unsent);
        }
    }

    #[test]
    fn a_new_rate_keeps_the_carried_fraction() {
        let mut transmitter = unframed(Rate::from_bits_per_second(3_000_000));
        let mut total = 0;
        for k in 0..3000 {
            transmitter.set_rate(Rate::from_bits_per_second(if k % 2 == 0 { 3_000_000 } else { 6_000_000 }));
            total += transmitter.transmission(1000).as_nanos();
        }
        assert_eq!(total, 1500 * 1000 * 8 * 1000 / 3 + 1500 * 1000 * 8 * 1000 / 6);
    }

    #[test]
    fn a_framed_packet_takes_the_time_of_its_bytes_on_the_wire() {
        let framing = Framing::new(40, 0, Cells::Atm).unwrap();
        for rate in [500_000, 10_000_000, 7_777_777] {
            let rate = Rate::from_bits_per_second(rate);
            let (mut framed, mut plain) = (Transmitter::new(rate, framing), unframed(rate));
            for size in [0, 0, 40, 1500, 1500, 1448, 41, 65_535] {
                assert_eq!(framed.transmission(size), plain.transmission(framing.wire_size(size)));
            }
            let slower = Rate::from_bits_per_second(3_000_000);
            framed.set_rate(slower);
            plain.set_rate(slower);
            let later = [0, 1500, 40];
            let rest = Span::from_nanos(12_345);
            let unsent = framed.unsent(rest);
            for size in later {
                assert_eq!(framed.transmission(size), plain.transmission(framing.wire_size(size)));
            }
            assert_eq!(framed.unsent_before(rest, later.into_iter()), unsent);
        }
    }
}
