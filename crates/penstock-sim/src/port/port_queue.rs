//! The queue of a port: the most frequent ones without virtual calls, every other discipline with them.

use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::discipline::fq_codel::{self, FqCodelQueues};
use penstock_aqm::discipline::qsdrr::{self, QsdrrQueues};
use penstock_aqm::law::droptail::DropTail;
use penstock_aqm::law::red::Red;
use penstock_aqm::{Discipline, Env, Fifo, Law, LinkInfo, Next};
use penstock_core::{Limit, Time};
use penstock_link::QueuePlan;
use std::ops::{Deref, DerefMut};

/// A discipline of any kind.
pub(crate) type AnyQueue = Box<dyn Discipline<SimPacket, Tally>>;

/// The queue of a port. It is the discipline that it holds; only the two operations on packets tell the kinds apart.
// With a tag of its own: one in the spare values of a field takes more instructions to read.
#[repr(u8)]
pub(crate) enum PortQueue {
    DropTail(Fifo<SimPacket, DropTail>),
    Red(Box<Fifo<SimPacket, Red>>),
    FqCodel(Box<FqCodelQueues<SimPacket>>),
    Qsdrr(Box<QsdrrQueues<SimPacket>>),
    Other(AnyQueue),
}

/// What an empty queue of a frequent kind is made of.
#[derive(Clone)]
pub(crate) enum DirectQueue {
    DropTail(Limit),
    Red(Box<Red>, Limit),
    FqCodel(Box<FqCodelQueues<SimPacket>>),
    Qsdrr(Box<QsdrrQueues<SimPacket>>),
}

impl DirectQueue {
    /// The queue of this plan for `link`, if it is of a frequent kind. Errors of its settings are left to
    /// [`QueuePlan::build`].
    pub(crate) fn new(plan: &QueuePlan, link: &LinkInfo) -> Option<Self> {
        let scheme = penstock_aqm::find(&plan.scheme).filter(|_| !plan.has_stages())?;
        match scheme.name {
            "droptail" if plan.settings.is_empty() => Some(Self::DropTail(link.limit)),
            "red" => {
                let law = Red::from_settings(&plan.settings, link, Time::ZERO).ok()?;
                Some(Self::Red(Box::new(law), link.limit))
            }
            "fq-codel" => Some(Self::FqCodel(Box::new(fq_codel::queues(&plan.settings, link).ok()?))),
            "qsdrr" => Some(Self::Qsdrr(Box::new(qsdrr::queues(&plan.settings, link).ok()?))),
            _ => None,
        }
    }
}

impl From<DirectQueue> for PortQueue {
    fn from(queue: DirectQueue) -> Self {
        match queue {
            DirectQueue::DropTail(limit) => Self::DropTail(Fifo::new(DropTail, limit)),
            DirectQueue::Red(law, limit) => Self::Red(Box::new(Fifo::new(*law, limit))),
            DirectQueue::FqCodel(queues) => Self::FqCodel(queues),
            DirectQueue::Qsdrr(queues) => Self::Qsdrr(queues),
        }
    }
}

impl PortQueue {
    /// Take the discipline out, as one of any kind. An empty one without room replaces it.
    pub(crate) fn take(&mut self) -> AnyQueue {
        let empty = Self::DropTail(Fifo::new(DropTail, Limit::Packets(0)));
        match std::mem::replace(self, empty) {
            Self::DropTail(queue) => Box::new(queue),
            Self::Red(queue) => queue,
            Self::FqCodel(queue) => queue,
            Self::Qsdrr(queue) => queue,
            Self::Other(queue) => queue,
        }
    }

    /// Whether a packet leaves this queue when those before it have left, whatever happens meanwhile, so that its departure
    /// is known as it arrives.
    pub(crate) fn is_foreseeable(&self) -> bool {
        matches!(self, Self::DropTail(_) | Self::Red(_))
    }

    /// As [`Discipline::enqueue`].
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1500")]
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, env: Env<'_, SimPacket, Tally>, packet: SimPacket) {
        match self {
            Self::DropTail(queue) => queue.enqueue(&mut { env }, packet),
            Self::Red(queue) => queue.enqueue(&mut { env }, packet),
            Self::FqCodel(queue) => queue.enqueue(&mut { env }, packet),
            Self::Qsdrr(queue) => queue.enqueue(&mut { env }, packet),
            Self::Other(queue) => queue.enqueue(&mut { env }, packet),
        }
    }

    /// As [`Discipline::dequeue`].
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1500")]
    #[inline(always)]
    pub(crate) fn dequeue(&mut self, env: Env<'_, SimPacket, Tally>) -> Next<SimPacket> {
        match self {
            Self::DropTail(queue) => queue.dequeue(&mut { env }),
            Self::Red(queue) => queue.dequeue(&mut { env }),
            Self::FqCodel(queue) => queue.dequeue(&mut { env }),
            Self::Qsdrr(queue) => queue.dequeue(&mut { env }),
            Self::Other(queue) => queue.dequeue(&mut { env }),
        }
    }
}

impl Deref for PortQueue {
    type Target = dyn Discipline<SimPacket, Tally>;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::DropTail(queue) => queue,
            Self::Red(queue) => queue.as_ref(),
            Self::FqCodel(queue) => queue.as_ref(),
            Self::Qsdrr(queue) => queue.as_ref(),
            Self::Other(queue) => queue.as_ref(),
        }
    }
}

impl DerefMut for PortQueue {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::DropTail(queue) => queue,
            Self::Red(queue) => queue.as_mut(),
            Self::FqCodel(queue) => queue.as_mut(),
            Self::Qsdrr(queue) => queue.as_mut(),
            Self::Other(queue) => queue.as_mut(),
        }
    }
}
