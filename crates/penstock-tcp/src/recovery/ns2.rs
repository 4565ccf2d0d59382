//! Recovery as in ns-2.35.

/// Whole packets.
#[inline]
pub(super) fn transfer_size(bytes: u64, packet: u64) -> u64 {
    bytes.next_multiple_of(packet)
}
