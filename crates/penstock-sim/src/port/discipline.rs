//! The discipline of a port's queue: frequently used disciplines are dispatched statically, all others by virtual
//! calls.

use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::algorithm::droptail::DropTail;
use penstock_aqm::algorithm::red::Red;
use penstock_aqm::discipline::dualpi2::DualPi2Queues;
use penstock_aqm::discipline::fq_codel::FqCodelQueues;
use penstock_aqm::discipline::qsdrr::QsdrrQueues;
use penstock_aqm::{Discipline, Env, FactsAtArrival, Fifo, Next};
use penstock_core::Limit;
use std::any::Any;
use std::ops::{Deref, DerefMut};

/// A discipline of any kind, called by virtual calls.
pub(crate) type BoxedDiscipline = Box<dyn Discipline<SimPacket, Tally>>;

/// The discipline of a port's queue. It dereferences to the discipline that it holds; only the two operations on packets
/// are dispatched statically.
// Has a separate tag: a tag in the niche of a field takes more instructions to read.
#[repr(u8)]
pub(crate) enum PortDiscipline {
    DropTail(Fifo<SimPacket, DropTail>),
    Red(Box<Fifo<SimPacket, Red>>),
    FqCodel(Box<FqCodelQueues<SimPacket>>),
    Qsdrr(Box<QsdrrQueues<SimPacket>>),
    DualPi2(Box<DualPi2Queues<SimPacket>>),
    Other(BoxedDiscipline),
    /// Reads the facts of pure ACKs.
    ReadsAcks(BoxedDiscipline),
}

/// An empty queue of a frequent kind, as a prototype for copies.
#[derive(Clone)]
pub(crate) enum Prototype {
    DropTail(Fifo<SimPacket, DropTail>),
    Red(Box<Fifo<SimPacket, Red>>),
    FqCodel(Box<FqCodelQueues<SimPacket>>),
    Qsdrr(Box<QsdrrQueues<SimPacket>>),
    DualPi2(Box<DualPi2Queues<SimPacket>>),
}

impl From<Prototype> for PortDiscipline {
    fn from(queue: Prototype) -> Self {
        match queue {
            Prototype::DropTail(queue) => Self::DropTail(queue),
            Prototype::Red(queue) => Self::Red(queue),
            Prototype::FqCodel(queue) => Self::FqCodel(queue),
            Prototype::Qsdrr(queue) => Self::Qsdrr(queue),
            Prototype::DualPi2(queue) => Self::DualPi2(queue),
        }
    }
}

impl From<BoxedDiscipline> for PortDiscipline {
    /// The same queue, dispatched statically if it is of a frequent kind.
    fn from(queue: BoxedDiscipline) -> Self {
        downcast(queue)
            .map(|queue| Self::DropTail(*queue))
            .or_else(|queue| downcast(queue).map(Self::Red))
            .or_else(|queue| downcast(queue).map(Self::FqCodel))
            .or_else(|queue| downcast(queue).map(Self::Qsdrr))
            .or_else(|queue| downcast(queue).map(Self::DualPi2))
            .unwrap_or_else(
                |queue| if queue.capabilities().reads_acks { Self::ReadsAcks(queue) } else { Self::Other(queue) },
            )
    }
}

/// The queue as a `T`, or unchanged if it has another type.
fn downcast<T: 'static>(queue: BoxedDiscipline) -> Result<Box<T>, BoxedDiscipline> {
    if !(&*queue as &dyn Any).is::<T>() {
        return Err(queue);
    }
    Ok((queue as Box<dyn Any>).downcast().unwrap_or_else(|_| unreachable!("its type was compared")))
}

impl PortDiscipline {
    /// Take the discipline out as a queue of any type. An empty queue without room replaces it.
    pub(crate) fn take(&mut self) -> BoxedDiscipline {
        let empty = Self::DropTail(Fifo::new(DropTail, Limit::Packets(0)));
        match std::mem::replace(self, empty) {
            Self::DropTail(queue) => Box::new(queue),
            Self::Red(queue) => queue,
            Self::FqCodel(queue) => queue,
            Self::Qsdrr(queue) => queue,
            Self::DualPi2(queue) => queue,
            Self::Other(queue) | Self::ReadsAcks(queue) => queue,
        }
    }

    /// An empty queue to be copied, if this queue, which must be empty, is dispatched statically.
    pub(crate) fn prototype(self) -> Option<Prototype> {
        match self {
            Self::DropTail(queue) => Some(Prototype::DropTail(queue)),
            Self::Red(queue) => Some(Prototype::Red(queue)),
            Self::FqCodel(queue) => Some(Prototype::FqCodel(queue)),
            Self::Qsdrr(queue) => Some(Prototype::Qsdrr(queue)),
            Self::DualPi2(queue) => Some(Prototype::DualPi2(queue)),
            Self::Other(_) | Self::ReadsAcks(_) => None,
        }
    }

    /// Whether it is a statically dispatched [`Fifo`], which precomputed departures require.
    pub(crate) fn is_static_fifo(&self) -> bool {
        match self {
            Self::DropTail(_) | Self::Red(_) => true,
            Self::FqCodel(_) | Self::Qsdrr(_) | Self::DualPi2(_) | Self::Other(_) | Self::ReadsAcks(_) => false,
        }
    }

    /// Like [`Discipline::enqueue`].
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, env: Env<'_, SimPacket, Tally>, packet: SimPacket) {
        match self {
            Self::DropTail(queue) => queue.enqueue(&mut { env }, packet),
            Self::Red(queue) => queue.enqueue(&mut { env }, packet),
            Self::FqCodel(queue) => queue.enqueue(&mut { env }, packet),
            Self::Qsdrr(queue) => queue.enqueue(&mut { env }, packet),
            Self::DualPi2(queue) => queue.enqueue(&mut { env }, packet),
            Self::Other(queue) => queue.enqueue(&mut { env }, packet),
            Self::ReadsAcks(queue) => enqueue_with_ack(queue.as_mut(), env, packet),
        }
    }

    /// Like [`Discipline::dequeue`].
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    pub(crate) fn dequeue(&mut self, env: Env<'_, SimPacket, Tally>) -> Next<SimPacket> {
        match self {
            Self::DropTail(queue) => queue.dequeue(&mut { env }),
            Self::Red(queue) => queue.dequeue(&mut { env }),
            Self::FqCodel(queue) => queue.dequeue(&mut { env }),
            Self::Qsdrr(queue) => queue.dequeue(&mut { env }),
            Self::DualPi2(queue) => queue.dequeue(&mut { env }),
            Self::Other(queue) | Self::ReadsAcks(queue) => queue.dequeue(&mut { env }),
        }
    }
}

/// Enqueue a packet together with its facts as a pure ACK, some of which the probe holds.
#[inline(never)]
fn enqueue_with_ack(
    queue: &mut dyn Discipline<SimPacket, Tally>,
    Env { now, rng, probe, facts }: Env<'_, SimPacket, Tally>,
    packet: SimPacket,
) {
    let facts = FactsAtArrival { facts, ack: packet.pure_ack(&probe.sacks) };
    queue.enqueue(&mut Env { now, rng, probe, facts: &facts }, packet);
}

impl Deref for PortDiscipline {
    type Target = dyn Discipline<SimPacket, Tally>;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::DropTail(queue) => queue,
            Self::Red(queue) => queue.as_ref(),
            Self::FqCodel(queue) => queue.as_ref(),
            Self::Qsdrr(queue) => queue.as_ref(),
            Self::DualPi2(queue) => queue.as_ref(),
            Self::Other(queue) | Self::ReadsAcks(queue) => queue.as_ref(),
        }
    }
}

impl DerefMut for PortDiscipline {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::DropTail(queue) => queue,
            Self::Red(queue) => queue.as_mut(),
            Self::FqCodel(queue) => queue.as_mut(),
            Self::Qsdrr(queue) => queue.as_mut(),
            Self::DualPi2(queue) => queue.as_mut(),
            Self::Other(queue) | Self::ReadsAcks(queue) => queue.as_mut(),
        }
    }
}
