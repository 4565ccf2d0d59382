//! Tables by the names of a scenario, which are a few bytes long: FNV-1a hashes them in a fraction of the time of the
//! standard hash. It does not resist attacks and need not do so: names come from the user's own scenario.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Values by name.
pub(crate) type NameMap<'a, T> = HashMap<&'a str, T, BuildHasherDefault<Fnv>>;

/// Names.
pub(crate) type NameSet<'a> = HashSet<&'a str, BuildHasherDefault<Fnv>>;

/// FNV-1a with 64 bits. G. Fowler, L. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_those_of_the_published_test_vectors() {
        let hash = |text: &str| {
            let mut hasher = Fnv::default();
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
