//! The sources of events.

/// A source of events; each entry of the event queue belongs to one.
///
/// The order of the variants is the order of events at one instant. The end of the warm-up comes first, so that everything
/// at that instant counts; then changes of links, which apply to transmissions that start at that instant; then ends of
/// transmission, so that a packet that arrives as another leaves finds its place free; then arrivals; then timers, so that
/// an acknowledgement that arrives as its timer expires is in time. Flows that sessions add during the run come last, in
/// the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventSource {
    /// The end of the warm-up.
    WarmupEnd,
    /// The next change of a link, by the number of its changes.
    LinkChange(u32),
    /// The end of transmission at the port of this number; the deadline of a departure if the port is lazy.
    Transmission(u32),
    /// The arrival of a packet at the end of the delay line of this number.
    Arrival(u32),
    /// The arrival of a reordered packet, by the number of the changes of its link.
    ReorderedArrival(u32),
    /// The timer of the discipline at this port.
    QueueTimer(u32),
    /// The timer of a receiver that delays acknowledgements, by flow.
    ReceiverTimer(u32),
    /// A sender's start, stop, timer or next datagram, by flow.
    Sender(u32),
    /// The next action of a session.
    Session(u32),
}
