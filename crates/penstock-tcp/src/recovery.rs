//! Rules of loss recovery in which ns-2 and the RFCs differ.
//!
//! Each decision is a function of the same name in [`ns2`] and in [`rfc`]. The sender and the congestion controls
//! call [`RecoveryRules`] and do not know which rules are in force.

mod ns2;
mod rfc;

use penstock_core::Span;

penstock_core::choice! {
    /// The rules of loss recovery that a flow follows where ns-2 and the RFCs differ.
    pub enum RecoveryRules {
        /// Those of ns-2.35.
        Ns2 = "ns2",
        /// RFC 5681, 6582 and 6675.
        Rfc = "rfc",
    }
}

/// Decisions that [`ns2`] and [`rfc`] each make with a function of the same name.
macro_rules! decisions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        impl RecoveryRules {
            $($(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($argument: $type),*) -> $result {
                match self {
                    Self::Ns2 => ns2::$name($($argument),*),
                    Self::Rfc => rfc::$name($($argument),*),
                }
            })+
        }
    };
}

// The transfer and its opening.
decisions! {
    /// User data that a transfer of `bytes` actually sends, in packets of `packet` bytes.
    fn transfer_size(bytes: u64, packet: u64) -> u64;
    /// Initial value of `recover`: the sender responds only to losses above it.
    fn first_recover() -> u32;
    /// Whether packets are ECN-capable before the first ACK, in a flow that uses ECN; `opens`: with a SYN.
    fn is_ect_at_start(opens: bool) -> bool;
    /// Whether the first ACK agrees to ECN; `repeated`: the first packet had to be sent again.
    fn agrees_to_ecn(repeated: bool, opens: bool) -> bool;
    /// Whether a flow that uses ECN reads its first ACK as an echo of a mark.
    fn first_ack_is_echo(repeated: bool) -> bool;
    /// Whether the ACK of the SYN restores the initial slow start threshold.
    fn opening_restores_ssthresh() -> bool;
    /// Whether the initial window is one packet because the SYN was lost; `retransmitted`: retransmissions
    /// so far.
    fn opening_loss_closes_window(retransmitted: u64) -> bool;
}

// The timer and the packets sent.
decisions! {
    /// Whether any round-trip time measured with timestamps ends the back-off.
    fn timestamp_ends_back_off() -> bool;
    /// Whether the retransmission timer is off while nothing is outstanding.
    fn stops_idle_timer() -> bool;
    /// Whether a retransmission may be ECN-capable and carry CWR.
    fn retransmits_ect() -> bool;
    /// Whether limited transmit may send packet `next` when `max` is the first one never sent.
    fn limited_transmit_sends(next: u32, max: u32) -> bool;
}

// Losses and marks.
decisions! {
    /// Slow start threshold in packets after a reduction to `left` packets.
    fn ssthresh(left: f64) -> f64;
    /// Congestion window in packets after a reduction to `left` packets, with this new threshold.
    fn reduced_window(ssthresh: f64, left: f64) -> f64;
    /// Whether the sender responds to a loss although `una` has not passed `recover`; `first`: the window was never
    /// reduced.
    fn answers_first_loss(first: bool, una: u32) -> bool;
    /// Whether the sender responds to an echoed mark after a timeout although `una` has not passed `recover`.
    fn answers_echo_after_timeout() -> bool;
    /// Whether a duplicate ACK counts while this number of packets is outstanding.
    fn counts_duplicate(outstanding: u32) -> bool;
    /// Whether a fast retransmit advances `recover` although a mark has already reduced the window.
    fn repair_moves_recover() -> bool;
    /// Tahoe: whether a timeout forgets the duplicate ACKs.
    fn timeout_forgets_duplicates() -> bool;
    /// Reno, NewReno: whether the ACK that ends a recovery also grows the window.
    fn recovery_ends_with_growth() -> bool;
    /// NewReno: number of new packets that one ACK may release during a recovery.
    fn recovery_burst() -> u32;
}

// Vegas.
decisions! {
    /// Whether an ACK of new data ends the inflation by duplicate ACKs, given the window that the last retransmission
    /// set (0: none has).
    fn vegas_deflates(window: f64) -> bool;
    /// Whether a packet is used to measure the round-trip time; `sent`: its sending time, counted from the first
    /// packet.
    fn vegas_measures(sent: Span) -> bool;
    /// Whether entries of the table of sent packets outlive their packets.
    fn vegas_reuses_table() -> bool;
}

// The receiver.
decisions! {
    /// Whether the ACK of a repeated packet may be delayed like that of a new one.
    fn delays_ack_of_repeated() -> bool;
    /// Whether an ACK of a packet that is or is not ECN-capable can echo a mark.
    fn echoes_to(ecn_capable: bool) -> bool;
    /// Whether packets that set or clear the echo are ACKed immediately.
    fn acks_marks_at_once() -> bool;
}
