//! Loss recovery as in ns-2.35; [`RecoveryRules`](super::RecoveryRules) describes each decision.

use penstock_core::Span;
use penstock_core::math::floor;

/// Maximum number of new packets that one ACK releases in a recovery of NewReno.
const BURST: u32 = 2;

/// The last packet is a full packet.
#[inline]
pub(super) fn transfer_size(bytes: u64, packet: u64) -> u64 {
    bytes.next_multiple_of(packet)
}

/// ns-2 does not respond to a loss of the SYN.
#[inline]
pub(super) fn first_recover() -> u32 {
    1
}

#[inline]
pub(super) fn is_ect_at_start(_opens: bool) -> bool {
    false
}

#[inline]
pub(super) fn agrees_to_ecn(_repeated: bool, _opens: bool) -> bool {
    true
}

/// The same bit accepts ECN and echoes marks, and an echo counts after a timeout.
#[inline]
pub(super) fn first_ack_is_echo(repeated: bool) -> bool {
    repeated
}

#[inline]
pub(super) fn opening_restores_ssthresh() -> bool {
    false
}

#[inline]
pub(super) fn opening_loss_closes_window(_retransmitted: u64) -> bool {
    true
}

#[inline]
pub(super) fn timestamp_ends_back_off() -> bool {
    false
}

#[inline]
pub(super) fn stops_idle_timer() -> bool {
    false
}

#[inline]
pub(super) fn retransmits_ect() -> bool {
    true
}

#[inline]
pub(super) fn limited_transmit_sends(_next: u32, _max: u32) -> bool {
    true
}

#[inline]
pub(super) fn ssthresh(left: f64) -> f64 {
    floor(left).max(2.0)
}

/// A mark can leave less than one packet: the flow then waits for its timer (RFC 3168, section 6.1.2).
#[inline]
pub(super) fn reduced_window(_ssthresh: f64, left: f64) -> f64 {
    left
}

#[inline]
pub(super) fn answers_first_loss(_first: bool, una: u32) -> bool {
    una == 1
}

#[inline]
pub(super) fn answers_echo_after_timeout() -> bool {
    true
}

#[inline]
pub(super) fn counts_duplicate(_outstanding: u32) -> bool {
    true
}

#[inline]
pub(super) fn repair_moves_recover() -> bool {
    false
}

#[inline]
pub(super) fn timeout_forgets_duplicates() -> bool {
    false
}

#[inline]
pub(super) fn recovery_ends_with_growth() -> bool {
    true
}

#[inline]
pub(super) fn recovery_burst() -> u32 {
    BURST
}

/// After a timeout no retransmission has set the window; it counts as 0 then.
#[inline]
pub(super) fn vegas_deflates(_window: f64) -> bool {
    true
}

/// ns-2 takes a sending time of zero, which the first packets have, for a missing one.
#[inline]
pub(super) fn vegas_measures(sent: Span) -> bool {
    sent > Span::ZERO
}

/// The table has as many entries as the window, and an ACK that wraps around its end clears no entry.
#[inline]
pub(super) fn vegas_reuses_table() -> bool {
    true
}

#[inline]
pub(super) fn delays_ack_of_repeated() -> bool {
    true
}

#[inline]
pub(super) fn echoes_to(ecn_capable: bool) -> bool {
    ecn_capable
}

#[inline]
pub(super) fn acks_marks_at_once() -> bool {
    false
}
