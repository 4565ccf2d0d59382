//! The state of a run as rows of numbers.

use penstock_core::Span;
use penstock_sim::live::LiveRun;

/// Time (s), events; then, for the link: waiting packets and bytes; arrivals, departures, marks and drops so far; bits
/// sent; rate (bit/s), propagation delay (s), round trip without queueing (s, NaN if unknown). Only the first two if
/// the link has no queue.
pub(crate) fn state(run: &LiveRun, link: usize, numbers: &mut Vec<f64>) {
    numbers.extend([run.now().as_secs(), run.events() as f64]);
    let Some(state) = run.link(link) else { return };
    numbers.extend([f64::from(state.packets), state.bytes as f64, state.arrivals as f64, state.departures as f64]);
    numbers.extend([state.marks as f64, state.drops as f64, state.sent_bits as f64]);
    numbers.extend([
        state.rate.bits_per_second() as f64,
        state.delay.as_secs(),
        state.rtt.map_or(f64::NAN, Span::as_secs),
    ]);
}

/// A row for each waiting packet, the oldest first: flow, packet number, size (bytes), kind (0 data, 1 ACK, 2 datagram),
/// whether it was marked here, and its arrival (s).
pub(crate) fn waiting(run: &LiveRun, link: usize, most: usize, numbers: &mut Vec<f64>) {
    for packet in run.waiting(link).iter().take(most) {
        let (flow, seq, size) = (f64::from(packet.flow), f64::from(packet.seq), f64::from(packet.size));
        let marked = f64::from(u8::from(packet.marked));
        numbers.extend([flow, seq, size, f64::from(packet.kind as u8), marked, packet.since.as_secs()]);
    }
}

/// A row for each flow that sends: its number, its group, window and threshold (packets), smoothed round-trip time (s),
/// and bytes received; NaN for missing values.
pub(crate) fn flows(run: &LiveRun, numbers: &mut Vec<f64>) {
    run.flows(&mut |flow, group, state| {
        numbers.extend([f64::from(flow), f64::from(group)]);
        numbers.extend(state);
    });
}

/// A row for each event at a watched queue since the last call: time (s), kind (1 arrive, 2 drop, 3 mark, 4 enqueue,
/// 5 dequeue), link, flow, packet number, size (bytes), cause (-1 for none), waiting time (s).
pub(crate) fn seen(run: &mut LiveRun, numbers: &mut Vec<f64>) {
    for seen in run.take_seen() {
        let cause = seen.cause.map_or(-1.0, |cause| f64::from(cause as u8));
        numbers.extend([seen.time.as_secs(), f64::from(seen.event as u8), f64::from(seen.link)]);
        numbers.extend([f64::from(seen.flow), f64::from(seen.seq), f64::from(seen.size), cause, seen.waited.as_secs()]);
    }
}

/// Departures by waiting time: below 8 us bins of 1 us, then eight of equal width in each octave.
pub(crate) fn delays(run: &LiveRun, link: usize, numbers: &mut Vec<f64>) {
    numbers.extend(run.delays(link).iter().map(|&count| f64::from(count)));
}

/// The gauges of a link: their names, one per line, and their values.
pub(crate) fn gauges(run: &LiveRun, link: usize, names: &mut String, numbers: &mut Vec<f64>) {
    run.gauges(link, &mut |name, value| {
        names.push_str(name);
        names.push('\n');
        numbers.push(value);
    });
}
