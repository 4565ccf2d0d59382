//! Loss recovery by the RFCs; [`RecoveryRules`](super::RecoveryRules) describes each decision.

use penstock_core::Span;

/// The transfer has its exact length in bytes.
#[inline]
pub(super) fn transfer_size(bytes: u64, _packet: u64) -> u64 {
    bytes
}

#[inline]
pub(super) fn first_recover() -> u32 {
    0
}

/// The SYN is not ECN-capable; it negotiates ECN for the packets after it (RFC 3168, section 6.1.1).
#[inline]
pub(super) fn is_ect_at_start(opens: bool) -> bool {
    !opens
}

/// A retransmitted SYN does not request ECN, since the first one may have been lost because of its request
/// (RFC 3168, section 6.1.1.1).
#[inline]
pub(super) fn agrees_to_ecn(repeated: bool, opens: bool) -> bool {
    !(repeated && opens)
}

#[inline]
pub(super) fn first_ack_is_echo(_repeated: bool) -> bool {
    false
}

/// The loss of a SYN is no measurement of the path's capacity.
#[inline]
pub(super) fn opening_restores_ssthresh() -> bool {
    true
}

/// Only if the SYN was lost more than once (RFC 6928, section 2).
#[inline]
pub(super) fn opening_loss_closes_window(retransmitted: u64) -> bool {
    retransmitted > 1
}

/// RFC 7323: the echo identifies the transmission that was ACKed.
#[inline]
pub(super) fn timestamp_ends_back_off() -> bool {
    true
}

/// RFC 6298, rule 5.2.
#[inline]
pub(super) fn stops_idle_timer() -> bool {
    true
}

/// RFC 3168, section 6.1.5.
#[inline]
pub(super) fn retransmits_ect() -> bool {
    false
}

/// Limited transmit sends only new data (RFC 3042).
#[inline]
pub(super) fn limited_transmit_sends(next: u32, max: u32) -> bool {
    next == max
}

/// RFC 5681, equation 4.
#[inline]
pub(super) fn ssthresh(left: f64) -> f64 {
    left.max(2.0)
}

/// RFC 5681, section 3.2, step 6.
#[inline]
pub(super) fn reduced_window(ssthresh: f64, _left: f64) -> f64 {
    ssthresh
}

/// The window was never reduced, so the loss cannot belong to a window of data that already caused a reduction (RFC
/// 6582, section 4.1).
#[inline]
pub(super) fn answers_first_loss(first: bool, _una: u32) -> bool {
    first
}

#[inline]
pub(super) fn answers_echo_after_timeout() -> bool {
    false
}

/// RFC 5681, section 2: a duplicate needs outstanding data.
#[inline]
pub(super) fn counts_duplicate(outstanding: u32) -> bool {
    outstanding > 0
}

/// RFC 6582, section 3.2, step 2.
#[inline]
pub(super) fn repair_moves_recover() -> bool {
    true
}

#[inline]
pub(super) fn timeout_forgets_duplicates() -> bool {
    true
}

/// The window becomes the threshold, or the value of RFC 6582, section 3.2, step 3.
#[inline]
pub(super) fn recovery_ends_with_growth() -> bool {
    false
}

#[inline]
pub(super) fn recovery_burst() -> u32 {
    u32::MAX
}

#[inline]
pub(super) fn vegas_deflates(window: f64) -> bool {
    window > 0.0
}

#[inline]
pub(super) fn vegas_measures(_sent: Span) -> bool {
    true
}

#[inline]
pub(super) fn vegas_reuses_table() -> bool {
    false
}

#[inline]
pub(super) fn delays_ack_of_repeated() -> bool {
    false
}

#[inline]
pub(super) fn echoes_to(_ecn_capable: bool) -> bool {
    true
}

/// A sender with a small window may be waiting for these ACKs.
#[inline]
pub(super) fn acks_marks_at_once() -> bool {
    true
}
