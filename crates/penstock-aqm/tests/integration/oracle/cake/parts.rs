//! CAKE's schedule, framing, hash and tins.

use super::Item;

/// Sends no faster than its rate: it has to wait until `next`, in nanoseconds times the rate.
pub(super) struct Pace {
    pub(super) rate: u128,
    pub(super) next: u128,
}

impl Pace {
    pub(super) fn wake(&mut self, now: u64) {
        self.next = self.next.max(u128::from(now) * self.rate);
    }

    pub(super) fn send(&mut self, bytes: u64) {
        self.next += 8_000_000_000 * u128::from(bytes);
    }

    /// A packet leaves. If that is before `next`, only this packet is owed.
    pub(super) fn run_ahead(&mut self, now: u64, bytes: u64) {
        let now = u128::from(now) * self.rate;
        let from_now = now + 8_000_000_000 * u128::from(bytes);
        self.next = if self.next <= now { self.next + from_now - now } else { self.next.max(from_now) };
    }

    pub(super) fn waits(&self, now: u64) -> bool {
        self.next > u128::from(now) * self.rate
    }
}

/// What tc-cake(8) says about the size of a packet on the wire.
pub(super) struct Wire {
    pub(super) overhead: u64,
    pub(super) mpu: u64,
    pub(super) cells: String,
}

impl Wire {
    pub(super) fn size(&self, item: &Item) -> u64 {
        let frame = (u64::from(item.size) + self.overhead).max(self.mpu);
        // Cells or blocks are begun while there are bytes left.
        let begun = |payload| (0..frame).step_by(payload).count() as u64;
        match self.cells.as_str() {
            "atm" => begun(48) * 53,
            "ptm" => frame + begun(64),
            _ => frame,
        }
    }
}

/// Output `number` of SplitMix64 from this state on.
pub(super) fn split_mix(state: u64, number: u64) -> u64 {
    let mut z = state.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The hash of a number: 32 bits, shared with the scheme like a random number.
pub(super) fn hash(number: u64, salt: u64) -> u64 {
    split_mix(salt, number) >> 32
}

/// The random number, uniform in [0, 1), of the credit with this number of the queue with this number, in 2^-64. Shared
/// with the scheme like a random number.
pub(super) fn dither(salt: u64, queue: u64, credit: u64) -> u128 {
    let seed = split_mix(split_mix(salt, 0), queue);
    let (block, lane) = (credit / 64, credit % 64);
    (0..64).fold(0, |number, digit| number * 2 + u128::from(split_mix(seed, block * 64 + digit) >> lane & 1))
}

/// Tin of a codepoint. TOS4 is 4, TOS2 is 2, TOS1 is 1, and so is LE; VA is 44.
pub(super) fn tin_of(diffserv: &str, dscp: u8) -> usize {
    let (class, assured) = (dscp / 8, matches!(dscp % 8, 2 | 4 | 6));
    match diffserv {
        "besteffort" => 0,
        "precedence" => class.into(),
        "diffserv3" => match dscp {
            1 | 8 => 0,
            4 | 44 | 46 | 48 | 56 => 2,
            _ => 1,
        },
        "diffserv4" => match dscp {
            1 | 8 => 0,
            32 | 40 | 44 | 46 | 48 | 56 => 3,
            4 | 16 | 24 => 2,
            _ if assured && matches!(class, 2..=4) => 2,
            _ => 1,
        },
        "diffserv8" => match dscp {
            1 | 8 => 0,
            2 => 1,
            4 => 4,
            16 => 5,
            24 => 3,
            32 | 40 | 44 | 46 => 6,
            48 | 56 => 7,
            _ if assured && class == 1 => 1,
            _ if assured && class == 2 => 4,
            _ if assured && matches!(class, 3 | 4) => 3,
            _ => 2,
        },
        other => panic!("{other}"),
    }
}

/// The weights of the tins: (priority, share).
pub(super) fn weights(diffserv: &str) -> Vec<(f64, f64)> {
    let bulk = (1.0 / 16.0, 1.0 / 16.0);
    match diffserv {
        "besteffort" => vec![(1.0, 1.0)],
        "diffserv3" => vec![bulk, (1.0, 1.0), (16.0, 1.0 / 4.0)],
        "diffserv4" => vec![bulk, (1.0, 1.0), (4.0, 1.0 / 2.0), (16.0, 1.0 / 4.0)],
        _ => (0..8).map(|k| (1.5_f64.powi(k), 0.875_f64.powi(k))).collect(),
    }
}
