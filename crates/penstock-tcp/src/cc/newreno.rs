//! NewReno: fast recovery until everything that was outstanding at its beginning is acknowledged.
//!
//! J. Hoe, SIGCOMM 1996; RFC 6582.
//!
//! # Law
//! As Reno until the first acknowledgement of new data. One that reaches `recover`, the end of what was outstanding, ends the
//! recovery with `cwnd = min(ssthresh, max(outstanding, 1) + 1)`. One that does not is *partial*: the packet it asks for is
//! sent at once, and the inflated window is deflated by what was acknowledged, less one packet. The first partial
//! acknowledgement alone restarts the timer (`impatient`, section 4).
//!
//! With `prr` the window in recovery is that of proportional rate reduction ([`super::counted`]), and `ssthresh` at its end.
//!
//! # Differences
//! * ns2 rules: a deflation beyond the inflation takes the rest out of `cwnd` and leaves an inflation of one packet; an
//!   acknowledgement releases at most two new packets during recovery; its end leaves `cwnd` as it then is, and grows it.

use super::counted::Counted;
use super::reno::duplicate;
use super::{Law, progress, start_over};
use crate::machine::{Cut, Machine};
use crate::wire::{Ack, Network};
use alloc::boxed::Box;
use penstock_core::Time;

/// New packets that one acknowledgement can release in ns-2's recovery.
const NS2_BURST: u32 = 2;

#[derive(Debug, Default)]
pub(crate) struct NewReno {
    /// A partial acknowledgement has come in this recovery.
    partial: bool,
    /// With `prr`: a recovery lasts.
    counted: Option<Box<Counted>>,
}

impl Law for NewReno {
    fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        match &mut self.counted {
            Some(counted) => counted.fill(m, now, net),
            None => m.fill_window(now, net),
        }
    }

    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && m.ect {
            m.on_echo(now, ack.ack);
        }
        if self.counted.is_some() {
            return self.on_ack_in_proportion(m, now, ack, net);
        }
        if ack.ack > m.una {
            if m.cut == Cut::Loss && ack.ack < m.recover {
                self.on_partial(m, now, ack, net);
            } else if m.inflation > 0 {
                self.end_recovery(m, now, ack);
            } else {
                self.partial = false;
                progress(m, now, ack);
            }
        } else {
            duplicate(m, now, net);
            if m.params.prr && m.inflation > 0 {
                m.inflation = 0;
                self.counted = Some(Box::new(Counted::begin(m, now, net)));
                return;
            }
        }
        if m.dupacks == 0 || (m.dupacks >= m.params.dupack_threshold && m.rfc()) {
            m.fill_window(now, net);
        } else if m.dupacks >= m.params.dupack_threshold {
            m.fill_window_by(NS2_BURST, now, net);
        }
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        self.partial = false;
        self.counted = None;
        m.dupacks = 0;
        start_over(m, now, net);
    }
}

impl NewReno {
    fn on_ack_in_proportion<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        match &mut self.counted {
            Some(counted) if ack.ack == m.una => counted.on_duplicate(m, now, net),
            Some(counted) if ack.ack < m.recover => counted.on_partial(m, now, ack, net),
            _ => {
                self.counted = None;
                m.cut = Cut::Recovered;
                m.acknowledge(now, ack);
                m.set_cwnd(now, m.ssthresh);
                m.fill_window(now, net);
            }
        }
    }

    fn on_partial<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acknowledged = ack.ack - m.una;
        if !m.params.deflation {
            m.inflation = 0;
        } else if m.inflation > acknowledged {
            m.inflation -= acknowledged - 1;
        } else {
            let rest = acknowledged - m.inflation;
            m.set_cwnd(now, (m.cwnd - f64::from(rest)).max(1.0));
            m.inflation = 1;
        }
        m.acknowledge_part(ack.ack);
        let lost = m.una;
        m.transmit(now, lost, net);
        m.next = m.next.max(lost + 1);
        if !(self.partial && m.params.impatient) {
            m.restart_timer(now);
        }
        self.partial = true;
    }

    fn end_recovery(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>) {
        self.partial = false;
        m.inflation = 0;
        if m.cut == Cut::Loss {
            m.cut = Cut::Recovered;
        }
        if m.rfc() {
            m.acknowledge(now, ack);
            // RFC 6582, section 3.2, step 3, first choice: no burst.
            let outstanding = f64::from(m.outstanding().max(1));
            m.set_cwnd(now, m.ssthresh.min(outstanding + 1.0));
        } else {
            progress(m, now, ack);
        }
    }
}
