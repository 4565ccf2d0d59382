//! Statistics of one queue, always collected: exact time at each length, samples, delays, fates and loss bursts.

use super::bursts::Bursts;
use super::codepoints::{Codepoints, Fate};
use super::distribution::pmf;
use super::histogram::Histogram;
use super::series::Series;
use super::ticks::Ticks;
use penstock_aqm::{Cause, Probe, Report};
use penstock_core::{Framing, Packet, Span, Time};

/// 1e-9 bits in a bit.
pub const NANOBITS: u128 = 1_000_000_000;

/// The packet does not count in the throughput of any flow.
pub const NO_FLOW: u32 = u32::MAX;

/// Statistics of one queue since the warm-up, by the definitions of the reference pages.
pub struct QueueStats {
    /// Packets waiting.
    length: u32,
    last_change: Time,
    /// Nanoseconds at each length.
    time_at: Vec<u64>,
    /// The next instant of `sampling` or `averaging`.
    next_sample: Time,
    /// When the length and the gauges are sampled.
    sampling: Ticks,
    /// When the AQM's average is sampled.
    averaging: Ticks,
    /// Samples at each length.
    samples_at: Vec<u64>,
    average_sum: f64,
    average_samples: u64,
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets whose transmission started.
    pub departures: u64,
    /// Marked packets that arrived after the warm-up.
    pub marks: u64,
    /// Dropped packets that arrived after the warm-up, by cause.
    pub drops: [u64; Cause::ALL.len()],
    /// Packets dropped after the warm-up that were queued during it.
    drops_of_earlier: u64,
    /// The framing of the link behind it.
    pub framing: Framing,
    /// Bits on the wire of the packets whose transmission started.
    pub sent_bits: u64,
    /// Correction of `bits`, in 1e-9 bits, for the packets in transmission at the two ends of the statistics.
    pub edge_nanobits: i128,
    /// Flow in whose throughput the last packet counts, or [`NO_FLOW`].
    pub crossing: u32,
    /// The device queue below the discipline.
    pub device: BelowDiscipline,
    /// Packets that the link itself lost, in front of the queue.
    pub link_losses: u64,
    /// Packets that conditioners or shapers dropped.
    pub policed: u64,
    /// Waiting times of the packets whose transmission started.
    pub delays: Histogram,
    bursts: Bursts,
    warmup: Time,
    waiting_at_warmup: u32,
    wanted: Option<Box<Wanted>>,
}

/// The intervals of the statistics of a queue; none is 0.
#[derive(Clone, Copy)]
pub struct Intervals {
    /// Distance between two samples of the length and of the gauges.
    pub sampling: Span,
    /// Distance between two samples of the AQM's average.
    pub averaging: Span,
    /// Width of the intervals of series, if there are any.
    pub series: Option<Span>,
}

impl Intervals {
    /// Intervals for statistics that last `length`, without series. The queue length is sampled every `sampling`. The
    /// AQM's average is sampled at least a thousand times and at least every 10 ms, whatever `sampling` is.
    pub fn new(sampling: Span, length: Span) -> Self {
        let averaging = (length.as_nanos() / 1000).clamp(1, 10_000_000);
        Self { sampling, averaging: Span::from_nanos(averaging), series: None }
    }
}

/// The device queue below the discipline; its packets still wait, so they count in the length and delay of the queue.
#[derive(Clone, Copy, Default)]
pub struct BelowDiscipline {
    /// Whether there is one.
    pub exists: bool,
    /// Packets that wait in it.
    pub packets: u32,
    /// Time at which the packet that was handed over last entered the discipline.
    pub enqueued: Time,
}

/// Optional statistics, in one place, so that a queue without them makes a single test at each change.
struct Wanted {
    series: Option<QueueSeries>,
    codepoints: Option<Codepoints>,
}

/// Queue and gauges over time.
struct QueueSeries {
    queue: Series,
    width: Span,
    gauges: Vec<(String, Series)>,
}

impl QueueStats {
    /// Statistics of an empty queue at time 0.
    pub fn new(intervals: Intervals, by_codepoint: bool) -> Self {
        let Intervals { sampling, averaging, series } = intervals;
        let series = series.map(|width| QueueSeries { queue: Series::new(width), width, gauges: Vec::new() });
        let codepoints = by_codepoint.then(Codepoints::default);
        let is_wanted = series.is_some() || by_codepoint;
        Self {
            length: 0,
            last_change: Time::ZERO,
            time_at: vec![0],
            next_sample: Time::ZERO + sampling.min(averaging),
            sampling: Ticks::new(sampling),
            averaging: Ticks::new(averaging),
            samples_at: vec![0],
            average_sum: 0.0,
            average_samples: 0,
            arrivals: 0,
            departures: 0,
            marks: 0,
            drops: [0; Cause::ALL.len()],
            drops_of_earlier: 0,
            framing: Framing::NONE,
            sent_bits: 0,
            edge_nanobits: 0,
            crossing: NO_FLOW,
            device: BelowDiscipline::default(),
            link_losses: 0,
            policed: 0,
            delays: Histogram::default(),
            bursts: Bursts::default(),
            warmup: Time::ZERO,
            waiting_at_warmup: 0,
            wanted: is_wanted.then(|| Box::new(Wanted { series, codepoints })),
        }
    }

    /// The warm-up ends: clear the counts. The queue keeps its length.
    pub fn restart(&mut self, now: Time) {
        let never = Span::from_nanos(u64::MAX);
        let fresh = Self::new(Intervals { sampling: never, averaging: never, series: None }, false);
        let mut wanted = self.wanted.take();
        if let Some(codepoints) = wanted.as_mut().and_then(|wanted| wanted.codepoints.as_mut()) {
            codepoints.restart();
        }
        *self = Self {
            length: self.length,
            time_at: vec![0; self.length as usize + 1],
            samples_at: vec![0; self.length as usize + 1],
            last_change: now,
            crossing: self.crossing,
            device: self.device,
            framing: self.framing,
            next_sample: self.next_sample,
            sampling: self.sampling,
            averaging: self.averaging,
            warmup: now,
            bursts: self.bursts.restarted(),
            waiting_at_warmup: self.length,
            wanted,
            ..fresh
        };
    }

    /// The discipline has handed the packet of its last report over to the device queue, and still holds `waiting`
    /// packets. Returns the time at which that packet entered the discipline.
    pub fn hand_over(&mut self, waiting: u32) -> Time {
        self.device.packets += 1;
        // A mark at the head is reported while the packet is in neither queue.
        self.set_length(waiting);
        self.device.enqueued
    }

    /// Whether optional statistics are kept, or a device queue is below the discipline.
    pub fn is_observed(&self) -> bool {
        self.wanted.is_some() || self.device.exists
    }

    /// Whether a sample is due, which [`QueueStats::sample`] takes before the queue changes.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        now >= self.next_sample
    }

    /// Take the samples due up to `now`; `gauges` shows the AQM's state, unchanged since the last operation.
    #[cold]
    pub fn sample(&mut self, now: Time, gauges: impl FnOnce(&mut dyn FnMut(&str, f64))) {
        let (lengths, averages) = (self.sampling.take(now), self.averaging.take(now));
        self.next_sample = self.sampling.next().min(self.averaging.next());
        self.samples_at[self.length as usize] += lengths;
        let last = self.sampling.last();
        let Self { average_sum, average_samples, wanted, .. } = self;
        let mut series = wanted.as_mut().and_then(|wanted| wanted.series.as_mut()).filter(|_| lengths > 0);
        gauges(&mut |name, value| {
            if name == "avg" {
                *average_sum += value * averages as f64;
                *average_samples += averages;
            }
            if let Some(series) = &mut series {
                series.hold_gauge(last, name, value);
            }
        });
    }

    /// A packet with codepoint `dscp` was queued.
    #[inline]
    pub fn queued<P>(&mut self, report: &Report<'_, P>, dscp: u8) {
        self.note_queued(report, dscp);
        self.count_queued(report);
    }

    /// The optional statistics of a packet that is queued; [`QueueStats::count_queued`] must follow.
    pub fn note_queued<P>(&mut self, report: &Report<'_, P>, dscp: u8) {
        self.note(report.now, Some(Fate::Queued), dscp);
    }

    /// Like [`QueueStats::queued`], for a queue for which [`QueueStats::is_observed`] is false.
    #[expect(clippy::inline_always, reason = "with `count_sent`, saves 4 % of the instructions of W2")]
    #[inline(always)]
    pub fn count_queued<P>(&mut self, report: &Report<'_, P>) {
        self.integrate(report.now);
        self.arrivals += 1;
        self.bursts.end();
        self.set_length(report.packets);
    }

    /// The transmission of a packet with codepoint `dscp` starts.
    #[inline]
    pub fn sent<P>(&mut self, report: &Report<'_, P>, dscp: u8) {
        self.note_sent(report, dscp);
        self.count_sent(report);
    }

    /// The optional statistics of a packet that is sent; [`QueueStats::count_sent`] must follow.
    pub fn note_sent<P>(&mut self, report: &Report<'_, P>, dscp: u8) {
        self.note(report.now, Some(Fate::Sent), dscp);
    }

    /// Like [`QueueStats::sent`], for a queue for which [`QueueStats::is_observed`] is false.
    #[expect(clippy::inline_always, reason = "with `count_queued`, saves 4 % of the instructions of W2")]
    #[inline(always)]
    pub fn count_sent<P>(&mut self, report: &Report<'_, P>) {
        self.integrate(report.now);
        self.departures += 1;
        self.delays.record(report.now - report.enqueued);
        self.set_length(report.packets);
    }

    /// A packet with codepoint `dscp` was marked.
    pub fn marked<P>(&mut self, report: &Report<'_, P>, dscp: u8) {
        let is_counted = self.warmup <= report.enqueued;
        self.change(report.now, is_counted.then_some(Fate::Marked), dscp);
        self.marks += u64::from(is_counted);
        self.set_length(report.packets);
    }

    /// A packet with codepoint `dscp` was dropped.
    pub fn dropped<P>(&mut self, report: &Report<'_, P>, cause: Cause, dscp: u8) {
        // A packet that was queued has already been counted as an arrival.
        let arrives = !cause.was_queued();
        let is_counted = self.warmup <= report.enqueued;
        let is_lost = cause != Cause::Filtered;
        let fate = if arrives { Fate::Refused } else { Fate::Removed };
        self.change(report.now, (is_counted && is_lost).then_some(fate), dscp);
        self.arrivals += u64::from(arrives);
        self.drops[cause as usize] += u64::from(is_counted);
        self.drops_of_earlier += u64::from(!is_counted);
        if is_lost {
            self.bursts.lose();
        }
        self.set_length(report.packets);
    }

    /// Bring the integrals up to `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        self.integrate(now);
        if let Some(wanted) = &mut self.wanted {
            wanted.hold(now, self.length);
        }
    }

    /// Like [`QueueStats::advance`], before the fate of a packet with codepoint `dscp`. `None` counts no fate.
    #[inline]
    fn change(&mut self, now: Time, fate: Option<Fate>, dscp: u8) {
        self.note(now, fate, dscp);
        self.integrate(now);
    }

    #[inline]
    fn note(&mut self, now: Time, fate: Option<Fate>, dscp: u8) {
        if let Some(wanted) = &mut self.wanted {
            wanted.change(now, self.length, fate, dscp);
        }
    }

    #[inline]
    fn integrate(&mut self, now: Time) {
        self.time_at[self.length as usize] += (now - self.last_change).as_nanos();
        self.last_change = now;
    }

    #[inline]
    fn set_length(&mut self, of_discipline: u32) {
        let length = of_discipline + self.device.packets;
        self.length = length;
        if length as usize >= self.time_at.len() {
            self.time_at.resize(length as usize + 1, 0);
            self.samples_at.resize(length as usize + 1, 0);
        }
    }

    /// Sent bits, in 1e-9 bits. For a packet in transmission at either end of the statistics, the bits sent in between.
    pub fn sent_nanobits(&self) -> u128 {
        let whole = u128::from(self.sent_bits) * NANOBITS;
        debug_assert!(whole.checked_add_signed(self.edge_nanobits).is_some(), "more is unsent than was sent");
        whole.saturating_add_signed(self.edge_nanobits)
    }

    /// All drops. A filtered acknowledgement is not a drop: a newer one carries its information.
    pub fn all_drops(&self) -> u64 {
        self.drops.iter().sum::<u64>() - self.filtered_acks()
    }

    /// Acknowledgements that a filter removed.
    pub fn filtered_acks(&self) -> u64 {
        self.drops[Cause::Filtered as usize]
    }

    /// Whether arrivals = departures + drops + filtered acknowledgements + change of backlog.
    pub fn is_conserved(&self) -> bool {
        let left = self.departures + self.all_drops() + self.filtered_acks() + self.drops_of_earlier;
        self.arrivals + u64::from(self.waiting_at_warmup) == left + u64::from(self.length)
    }

    /// Share of time at each length from 0.
    pub fn length_pmf(&self) -> Vec<f64> {
        pmf(&self.time_at)
    }

    /// Share of samples at each length from 0; empty without a sample.
    pub fn sampled_pmf(&self) -> Vec<f64> {
        pmf(&self.samples_at)
    }

    /// Share of bursts of 1, 2, ... consecutive losses.
    pub fn burst_pmf(&self) -> Vec<f64> {
        self.bursts.pmf()
    }

    /// Mean of the AQM's average over its samples.
    pub fn average(&self) -> Option<f64> {
        (self.average_samples > 0).then(|| self.average_sum / self.average_samples as f64)
    }

    /// The series by name, the queue's first; empty unless they were requested.
    pub fn series(&self) -> impl Iterator<Item = (&str, &Series)> {
        self.wanted.iter().filter_map(|wanted| wanted.series.as_ref()).flat_map(|series| {
            let gauges = series.gauges.iter().map(|(name, gauge)| (name.as_str(), gauge));
            std::iter::once(("queue", &series.queue)).chain(gauges)
        })
    }

    /// The counts by codepoint, if they were requested.
    pub fn codepoints(&self) -> Option<&Codepoints> {
        self.wanted.as_ref()?.codepoints.as_ref()
    }
}

/// Updates the statistics only; the caller does everything else.
impl<P: Packet> Probe<P> for QueueStats {
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn queued(&mut self, report: &Report<'_, P>) {
        self.queued(report, report.packet.meta().dscp);
    }

    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn sent(&mut self, report: &Report<'_, P>) {
        self.sent(report, report.packet.meta().dscp);
    }

    #[cold]
    fn marked(&mut self, report: &Report<'_, P>, _cause: Cause) {
        self.marked(report, report.packet.meta().dscp);
    }

    #[cold]
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause) {
        self.dropped(report, cause, report.packet.meta().dscp);
    }
}

impl Wanted {
    fn hold(&mut self, now: Time, length: u32) {
        if let Some(series) = &mut self.series {
            series.queue.hold(now, f64::from(length));
        }
    }

    #[cold]
    fn change(&mut self, now: Time, length: u32, fate: Option<Fate>, dscp: u8) {
        self.hold(now, length);
        if let (Some(codepoints), Some(fate)) = (&mut self.codepoints, fate) {
            codepoints.count(fate, dscp);
        }
    }
}

impl QueueSeries {
    fn hold_gauge(&mut self, now: Time, name: &str, value: f64) {
        if !value.is_finite() {
            return;
        }
        let at = self.gauges.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.gauges.push((name.to_owned(), Series::new(self.width)));
            self.gauges.len() - 1
        });
        self.gauges[at].1.hold(now, value);
    }
}
