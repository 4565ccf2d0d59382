//! Fates of the packets of each differentiated services codepoint at one queue.

use super::bursts::Bursts;
use penstock_core::Dscp;

/// Fate of a packet.
#[derive(Clone, Copy)]
pub enum Fate {
    /// It was queued.
    Queued,
    /// Its transmission started.
    Sent,
    /// It was marked.
    Marked,
    /// Dropped on arrival.
    Refused,
    /// Dropped after it was queued.
    Removed,
}

/// Counts of one codepoint.
#[derive(Default)]
pub struct Counts {
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets whose transmission started.
    pub departures: u64,
    /// Packets that were dropped, on arrival or later.
    pub drops: u64,
    /// Packets that were marked.
    pub marks: u64,
    /// Bursts of losses of this codepoint.
    pub bursts: Bursts,
}

/// Counts of all codepoints that were seen.
#[derive(Default)]
pub struct Codepoints {
    counts: Vec<Counts>,
}

impl Codepoints {
    /// A packet with this codepoint met its fate.
    pub fn count(&mut self, fate: Fate, dscp: u8) {
        if self.counts.len() <= usize::from(dscp) {
            self.counts.resize_with(usize::from(dscp) + 1, Counts::default);
        }
        let counts = &mut self.counts[usize::from(dscp)];
        match fate {
            Fate::Queued => {
                counts.arrivals += 1;
                counts.bursts.end();
            }
            Fate::Sent => counts.departures += 1,
            Fate::Marked => counts.marks += 1,
            Fate::Refused | Fate::Removed => {
                counts.arrivals += u64::from(matches!(fate, Fate::Refused));
                counts.drops += 1;
                counts.bursts.lose();
            }
        }
    }

    /// Reset the counts.
    pub fn restart(&mut self) {
        for counts in &mut self.counts {
            *counts = Counts { bursts: counts.bursts.restarted(), ..Counts::default() };
        }
    }

    /// Name and counts of each codepoint with arrivals or departures; empty if only the default codepoint has any.
    pub fn seen(&self) -> impl Iterator<Item = (String, &Counts)> {
        let named = |number: usize| Dscp::new(number as u8).and_then(Dscp::name).map(str::to_lowercase);
        let seen = |counts: &Counts| counts.arrivals + counts.departures + counts.drops > 0;
        let tells = self.counts.iter().skip(1).any(seen);
        let all = self.counts.iter().enumerate().filter(move |(_, counts)| tells && seen(counts));
        all.map(move |(number, counts)| (named(number).unwrap_or_else(|| number.to_string()), counts))
    }
}
