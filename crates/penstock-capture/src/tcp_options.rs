//! The options of a TCP header. The iterator of `etherparse` ends at the first option that it does not know.

use crate::packet::TcpOptions;

/// Kinds of options: https://www.iana.org/assignments/tcp-parameters.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

impl TcpOptions {
    /// The options in these bytes of a header, up to the first option that is incomplete or has an impossible length.
    pub(crate) fn parse(mut bytes: &[u8], is_syn: bool) -> Self {
        let mut options = Self::default();
        while let [kind, rest @ ..] = bytes {
            if *kind == END {
                break;
            }
            if *kind == NO_OPERATION {
                bytes = rest;
                continue;
            }
            let Some(option) = rest.first().and_then(|&length| bytes.get(..usize::from(length))) else { break };
            match option {
                &[MSS, 4, high, low] if is_syn => options.mss = Some(u16::from_be_bytes([high, low])),
                &[WINDOW_SCALE, 3, shift] if is_syn => options.window_scale = Some(shift),
                [SACK, _, value @ ..] => options.sack = pair(value),
                [TIMESTAMPS, 10, value @ ..] => options.timestamps = pair(value),
                // The length includes the bytes of kind and length.
                &[] | &[_] => break,
                _ => {}
            }
            bytes = &bytes[option.len()..];
        }
        options
    }
}

/// The first two 32-bit numbers.
fn pair(bytes: &[u8]) -> Option<[u32; 2]> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let [first, second, ..] = numbers else { return None };
    Some([first, second].map(|number| u32::from_be_bytes(*number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two no-operation options, then timestamps 1 and 2.
    const STAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];

    #[test]
    fn options_of_a_syn_are_read() {
        // Fast open cookie request (kind 34, RFC 7413) is skipped.
        let syn = [2, 4, 5, 180, 34, 2, 4, 2, 1, 3, 3, 7];
        let expected = TcpOptions { mss: Some(1460), window_scale: Some(7), ..TcpOptions::default() };
        assert_eq!(TcpOptions::parse(&syn, true), expected);
        assert_eq!(TcpOptions::parse(&syn, false), TcpOptions::default());
    }

    #[test]
    fn timestamps_and_the_first_sack_block_are_read() {
        let blocks = [1, 1, 5, 18, 0, 0, 1, 0, 0, 0, 2, 0, 0xff, 0, 0, 0, 0xff, 0, 0, 1];
        let options = TcpOptions::parse(&[&STAMPS[..], &blocks].concat(), false);
        assert_eq!((options.timestamps, options.sack), (Some([1, 2]), Some([0x100, 0x200])));
    }

    #[test]
    fn an_incomplete_option_and_all_later_options_are_not_read() {
        for count in 0..STAMPS.len() {
            assert_eq!(TcpOptions::parse(&STAMPS[..count], false), TcpOptions::default());
        }
        assert_eq!(TcpOptions::parse(&[&[0], &STAMPS[..]].concat(), false).timestamps, None);
        assert_eq!(TcpOptions::parse(&[&[8, 0], &STAMPS[..]].concat(), false).timestamps, None);
        assert_eq!(TcpOptions::parse(&[&[8, 1], &STAMPS[..]].concat(), false).timestamps, None);
        assert_eq!(TcpOptions::parse(&[5, 2, 5, 6, 0, 0, 0, 1], false).sack, None);
    }
}
