//! SACK: loss recovery by the scoreboard.
//!
//! RFC 6675; blocks by RFC 2018.
//!
//! # Law
//! Each acknowledgement that reports something new counts as a duplicate; the third, or a first packet that the scoreboard
//! calls lost, begins the recovery: `ssthresh = cwnd = max(outstanding/2, 2)`, the first packet is sent again. In recovery,
//! while `pipe < cwnd`, the next segment goes out (NextSeg): a lost packet not yet sent again, else a new packet, else any hole
//! below the highest packet reported, else once the highest packet outstanding. It ends when everything outstanding at its
//! beginning is acknowledged.
//!
//! # Differences
//! * The scoreboard is cleared by a timeout (RFC 2018, section 8), which RFC 6675 allows to be kept.

use super::{Law, progress, start_over};
use crate::machine::{Cut, Machine};
use crate::scoreboard::Scoreboard;
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug, Default)]
pub(crate) struct Sack {
    board: Scoreboard,
    recovering: bool,
    /// The rescue retransmission of this recovery has been made.
    rescued: bool,
}

impl Law for Sack {
    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && m.ect && !self.recovering {
            m.on_echo(now, ack.ack);
        }
        let advances = ack.ack > m.una;
        if advances {
            if self.recovering && ack.ack < m.recover {
                m.acknowledge_in_recovery(now, ack);
            } else if self.recovering {
                self.recovering = false;
                m.cut = Cut::Recovered;
                m.acknowledge(now, ack);
            } else {
                progress(m, now, ack);
            }
        }
        if ack.sack.is_empty() && self.board.is_empty() && !self.recovering {
            m.fill_window(now, net);
            return;
        }
        self.read(m, now, ack, advances, net);
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        self.recovering = false;
        self.board.clear(m.una);
        m.dupacks = 0;
        start_over(m, now, net);
    }
}

impl Sack {
    /// Enter what is reported, then send what pipe and window allow.
    fn read<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, advances: bool, net: &mut N) {
        self.board.advance(m.una);
        let mut new = false;
        for block in ack.sack {
            new |= self.board.report(*block, m.params.dupack_threshold);
        }
        if self.recovering {
            self.send(m, now, net);
            return;
        }
        if new && !advances {
            m.dupacks += 1;
        }
        let lost = m.dupacks >= m.params.dupack_threshold || self.board.first_is_lost();
        if lost && (m.una >= m.recover || m.cut == Cut::Mark) {
            self.begin(m, now, net);
        } else if m.dupacks == 0 || m.next < m.max {
            // After a timeout `next` has fallen back: what was sent before goes out again as the window opens, not by
            // limited transmit, which is for new packets and counts on each of them to fill the pipe.
            m.fill_window(now, net);
        } else if m.params.limited_transmit {
            while f64::from(self.board.pipe(m.max)) + 1.0 <= m.cwnd && send_new(m, now, net) {
                m.limited += 1;
            }
        }
    }

    fn begin<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        // A mark that was answered for the same window has halved it already.
        if m.cut != Cut::Mark || m.una >= m.recover {
            m.halve(now);
        }
        m.recover = m.max;
        m.fast_retransmit(now);
        self.recovering = true;
        self.rescued = false;
        let lost = m.una;
        self.board.repair(lost);
        m.transmit(now, lost, net);
        self.send(m, now, net);
    }

    /// RFC 6675, section 5, step C.
    fn send<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        while f64::from(self.board.pipe(m.max)) + 1.0 <= m.cwnd {
            let hole = self.board.next_hole();
            let seq = match hole {
                Some((seq, true)) => seq,
                _ if send_new(m, now, net) => continue,
                Some((seq, false)) => seq,
                None => {
                    self.rescue(m, now, net);
                    return;
                }
            };
            self.board.repair(seq);
            m.transmit(now, seq, net);
        }
    }

    /// NextSeg, rule 4: once a recovery, the highest packet outstanding.
    fn rescue<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        if let (false, Some(seq)) = (self.rescued, self.board.highest_unreported(m.max)) {
            self.rescued = true;
            m.transmit(now, seq, net);
        }
    }
}

/// A packet that was never sent, if there is one and the receiver's window has room.
fn send_new<N: Network>(m: &mut Machine, now: Time, net: &mut N) -> bool {
    let allowed = m.next < m.end.min(m.una.saturating_add(m.params.window));
    if allowed {
        let seq = m.next;
        m.next += 1;
        m.transmit(now, seq, net);
    }
    allowed
}
