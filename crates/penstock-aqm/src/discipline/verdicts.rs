//! Carries out the verdicts of AQMs: marks, drops and reports of every guarded queue.

use super::{Env, Probe, Report};
use crate::aqm::{Cause, Verdict};
use penstock_core::{Ecn, Packet, Time};

/// Packets and bytes that wait at the link, over all its queues.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Total {
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

/// An arriving packet that its AQM lets in, and the cause of its mark if the AQM marks it.
#[must_use]
pub(crate) struct Admitted(Option<Cause>);

impl Total {
    /// A report on a packet, with this backlog.
    #[inline]
    pub(crate) fn report<P>(self, now: Time, packet: &P, enqueued: Time) -> Report<'_, P> {
        Report { now, packet, enqueued, packets: self.packets, bytes: self.bytes }
    }

    /// Drops an arriving packet that is not in the queue.
    #[inline]
    pub(crate) fn refuse<P: Packet>(self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P, cause: Cause) {
        env.probe.dropped(&self.report(env.now, packet, env.now), cause);
    }

    /// Drops a queued packet to make room.
    #[inline]
    pub(crate) fn evict<P: Packet>(self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P, enqueued: Time) {
        env.probe.dropped(&self.report(env.now, packet, enqueued), Cause::Evicted);
    }

    /// Sends a packet that has left its queue.
    #[inline]
    pub(crate) fn send<P: Packet>(self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P, enqueued: Time) {
        env.probe.sent(&self.report(env.now, packet, enqueued));
    }

    /// Reports an arriving packet as queued; this total counts it.
    #[inline]
    pub(crate) fn accept<P: Packet>(self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P) {
        env.probe.queued(&self.report(env.now, packet, env.now));
    }

    /// This total plus one packet of `size` bytes.
    #[inline]
    pub(crate) fn with(self, size: u32) -> Self {
        Self { packets: self.packets + 1, bytes: self.bytes + u64::from(size) }
    }

    /// This total minus one packet of `size` bytes.
    #[inline]
    pub(crate) fn without(self, size: u32) -> Self {
        Self { packets: self.packets - 1, bytes: self.bytes - u64::from(size) }
    }

    /// Carries out the verdict of an AQM on an arriving packet: drops the packet or lets it in.
    #[inline]
    pub(crate) fn admit<P: Packet>(
        self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packet: &P,
        ecn: Ecn,
        verdict: Verdict,
    ) -> Option<Admitted> {
        match verdict {
            Verdict::Pass => Some(Admitted(None)),
            Verdict::Mark(cause) if ecn.is_capable() => Some(Admitted(Some(cause))),
            Verdict::Mark(cause) | Verdict::Drop(cause) => {
                self.refuse(env, packet, cause);
                None
            }
        }
    }

    /// Carries out the verdict of an AQM on a packet that has left its queue: sends it, marks and sends it, or drops it.
    /// Returns whether it is sent.
    #[expect(clippy::inline_always, reason = "saves 1 % of the instructions of W2")]
    #[inline(always)]
    pub(crate) fn release<P: Packet>(
        self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packet: &mut P,
        ecn: Ecn,
        enqueued: Time,
        verdict: Verdict,
    ) -> bool {
        match verdict {
            Verdict::Pass => {}
            Verdict::Mark(cause) if ecn.is_capable() => {
                packet.mark();
                env.probe.marked(&self.report(env.now, packet, enqueued), cause);
            }
            Verdict::Mark(cause) | Verdict::Drop(cause) => {
                env.probe.dropped(&self.report(env.now, packet, enqueued), cause);
                return false;
            }
        }
        self.send(env, packet, enqueued);
        true
    }
}

impl Admitted {
    /// Marks an admitted packet, for which there is room, if its AQM decided to mark it. `total` does not count the
    /// packet yet.
    #[inline]
    pub(crate) fn mark<P: Packet>(self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, total: Total, packet: &mut P) {
        if let Some(cause) = self.0 {
            packet.mark();
            env.probe.marked(&total.report(env.now, packet, env.now), cause);
        }
    }
}
