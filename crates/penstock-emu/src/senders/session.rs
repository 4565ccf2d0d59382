//! A session over real connections.

use super::clock::now_ns;
use super::connection::{self, Path};
use super::report::Counters;
use super::socket::TcpSettings;
use super::{Ends, Opening, Session, Shared};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Longest time between two checks whether the session must end.
const POLL: Duration = Duration::from_millis(100);

/// The state shared by the connections of a session.
struct Connections {
    ends: Ends,
    tcp: TcpSettings,
    counters: Arc<Counters>,
    shared: Arc<Shared>,
    /// Notified of the tag of each connection that has delivered all its data.
    ended: Sender<u32>,
}

/// Open the connections of a session until the gate closes.
pub(super) fn run(
    ends: Ends,
    tcp: TcpSettings,
    mut source: Box<dyn Session>,
    counters: &Arc<Counters>,
    shared: &Arc<Shared>,
) {
    let (ended, ends_of_connections) = mpsc::channel();
    let (counters, state) = (Arc::clone(counters), Arc::clone(shared));
    let connections = Arc::new(Connections { ends, tcp, counters, shared: state, ended });
    while !shared.gate.is_closed() {
        let now = now_ns().saturating_sub(shared.zero());
        if let Some(due) = source.next().filter(|due| *due <= now) {
            // Acts at the session's own time, although this thread is a little late: otherwise the session would drift.
            source.on_time(due).into_iter().for_each(|opening| connections.open(opening));
            continue;
        }
        let wait = source.next().map_or(POLL, |due| Duration::from_nanos(due - now).min(POLL));
        match ends_of_connections.recv_timeout(wait) {
            Ok(tag) => {
                let now = now_ns().saturating_sub(shared.zero());
                source.on_end(now, tag).into_iter().for_each(|opening| connections.open(opening));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

impl Connections {
    /// Open a connection in a thread of its own.
    fn open(self: &Arc<Self>, opening: Opening) {
        let connections = Arc::clone(self);
        if let Err(message) = self.shared.helper(&self.ends.name, move || connections.send(opening)) {
            self.shared.fail(message);
        }
    }

    fn send(&self, Opening { sender, request, bytes, tag }: Opening) {
        let path = if request { Path::request(&self.ends, sender) } else { Path::data(&self.ends, sender) };
        let counters = if request { &Arc::default() } else { &self.counters };
        match connection::send(path, &self.tcp, (Some(bytes), u64::MAX), counters, &self.shared) {
            Ok(Some(completion)) => {
                counters.complete(completion);
                // The session may have ended in the meantime.
                let _ = self.ended.send(tag);
            }
            Ok(None) => {}
            Err(error) => self.shared.fail(self.ends.error(&self.ends.destination, "cannot send", &error)),
        }
    }
}
