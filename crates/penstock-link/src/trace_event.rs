//! Kinds of packet events in traces.

/// Kind of a packet event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TraceEvent {
    /// A source sent it.
    Send,
    /// The packet arrived at a watched queue.
    Arrive,
    /// It was dropped there.
    Drop,
    /// It was marked there.
    Mark,
    /// It was queued there.
    Enqueue,
    /// It left the queue.
    Dequeue,
    /// The packet arrived at its destination.
    Receive,
}

impl TraceEvent {
    /// All events, in the order of their numbers.
    pub const NAMES: [&'static str; 7] = ["send", "arrive", "drop", "mark", "enqueue", "dequeue", "receive"];
}
