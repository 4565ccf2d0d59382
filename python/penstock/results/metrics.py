"""The catalogue of metrics: one name, one definition, one unit each.

Names are the keys of results. They end in the SI unit (`_s`, `_bps`, `_bytes`, `_pkts`) unless they are
counts or ratios. Statistics start at `warmup` and end at `duration`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["ANY", "METRICS", "NOT_NEGATIVE", "Metric", "Range", "clip_interval", "find_metric", "in_catalogue_order"]

Better = Literal["lower", "higher", ""]
Range = tuple[float, float]
"""The smallest and the largest possible value."""

ANY: Range = (-math.inf, math.inf)
NOT_NEGATIVE: Range = (0.0, math.inf)
Quantity = Literal["count", "ratio", "share", "time", "rate", "packets", "packets2", "bytes", "number"]


@dataclass(frozen=True)
class Metric:
    """One metric.

    `quantity` decides how it is printed (seconds as ms where that reads better, shares in percent); `better` is
    empty where neither direction is better by itself; `key` marks the few metrics shown first.
    """

    name: str
    title: str
    quantity: Quantity
    better: Better
    group: str
    doc: str
    key: bool = False

    @property
    def range(self) -> Range:
        """The possible values: no share outside 0 to 1, no negative time, rate or count.

        A flow can have more than its fair share.
        """
        if self.quantity == "number":
            return ANY
        is_part = self.name == "jain" or (self.quantity == "share" and self.name != "fair_share")
        return (0.0, 1.0) if is_part else NOT_NEGATIVE

    def possible(self, low: float, high: float) -> tuple[float, float]:
        """The possible part of an interval."""
        return clip_interval(low, high, self.range)


def clip_interval(low: float, high: float, possible: Range) -> tuple[float, float]:
    """The part of an interval within the possible values; if it lies outside, the end next to them.

    >>> clip_interval(-0.1, 0.2, (0, 1)), clip_interval(0.9, 1.1, (0, 1)), clip_interval(-3, -1, (0, 1))
    ((0, 0.2), (0.9, 1), (-1, -1))
    """
    bottom, top = possible
    return max(low, min(high, bottom)), min(high, max(low, top))


def find_metric(name: str) -> Metric:
    """The catalogue's entry for `name`; for a name outside the catalogue, an entry derived from its ending."""
    entry = _BY_NAME.get(name)
    if entry is not None:
        return entry
    share = re.fullmatch(r"(sampled_)?share_(.+)_(.+)", name)
    if share:
        sampled, low, high = share.groups()
        return Metric(
            name,
            f"Time with {low} < queue ≤ {high}" + (" (sampled)" if sampled else ""),
            "share",
            "",
            "Queue",
            f"Fraction of time with more than {low} and at most {high} packets waiting.",
        )
    coded = re.fullmatch(r"dscp_([a-z0-9]+)_(.+)", name)
    if coded and coded[2] in BY_CODEPOINT:
        base = _BY_NAME[coded[2]]
        doc = f"{base.doc} Of the packets with this codepoint alone."
        return replace(base, name=name, title=f"{base.title}, {coded[1].upper()}", doc=doc, key=False)
    sized = re.fullmatch(r"complet(ed|ion_(mean|p50|p95|p99))_(\d+)_(\d+|inf)(_s)?", name)
    if sized:
        return _of_class(name, sized[2], sized[3], sized[4])
    quantity: Quantity = "number"
    for ending, this in _ENDINGS:
        if name.endswith(ending):
            quantity = this
            break
    return Metric(name, name.replace("_", " ").capitalize(), quantity, "", "Other", "")


def _of_class(name: str, quantile: str | None, low: str, high: str) -> Metric:
    """A metric of the transfers of one class of sizes."""
    sizes = f"above {int(low):,} B" if high == "inf" else f"{int(low):,} to {int(high):,} B"
    doc = f"Of the transfers of more than {low} bytes" + ("." if high == "inf" else f" and at most {high}.")
    base = _BY_NAME["completed" if quantile is None else f"completion_{quantile}_s"]
    return Metric(name, f"{base.title}, {sizes}", base.quantity, base.better, base.group, doc)


def in_catalogue_order(names: set[str]) -> list[str]:
    """`names` in the order of the catalogue; those outside it last, by name."""
    place = {m.name: i for i, m in enumerate(METRICS)}
    return sorted(names, key=lambda n: (place.get(n, len(place)), n))


BY_CODEPOINT = ("arrivals", "departures", "drops", "marks", "loss_rate", "burst_loss_pmf")
"""Metrics of a link that are also reported for each codepoint, as `dscp_af12_drops`."""

_ENDINGS: tuple[tuple[str, Quantity], ...] = (
    ("_pkts2", "packets2"), ("_pkts", "packets"), ("_bytes", "bytes"), ("_bps", "rate"), ("_s", "time"),
    ("_rate", "share"), ("_share", "share"), ("_ratio", "ratio"),
)  # fmt: skip


def _delay(quantile: str, words: str, key: bool = False) -> Metric:
    return Metric(
        f"delay_{quantile}_s",
        f"Queueing delay, {words}",
        "time",
        "lower",
        "Delay",
        f"The {words} of the time from enqueueing to the start of service, over departed packets.",
        key,
    )


METRICS: tuple[Metric, ...] = (
    # A watched queue.
    _delay("mean", "mean", key=True),
    _delay("p50", "median"),
    _delay("p95", "95th percentile"),
    _delay("p99", "99th percentile", key=True),
    _delay("p999", "99.9th percentile"),
    _delay("sd", "standard deviation"),
    Metric("jitter_sd_s", "Delay variation", "time", "lower", "Delay",
           "Standard deviation of the queueing delay (Brandauer's delay variation).", key=True),
    Metric("length_mean_pkts", "Queue length, mean", "packets", "lower", "Queue",
           "Mean number of waiting packets over time, by exact integration; the packet in service is not counted.",
           key=True),
    Metric("length_var_pkts2", "Queue length, variance", "packets2", "lower", "Queue",
           "Variance of the number of waiting packets over time, by exact integration.", key=True),
    Metric("length_sampled_mean_pkts", "Queue length, mean of samples", "packets", "lower", "Queue",
           "Mean of the number of waiting packets at the sampling instants (every 10 ms unless set)."),
    Metric("length_sampled_var_pkts2", "Queue length, variance of samples", "packets2", "lower", "Queue",
           "Variance of the number of waiting packets at the sampling instants."),
    Metric("average_mean_pkts", "The AQM's average queue, mean", "packets", "", "Queue",
           "Mean of the AQM's weighted average, if it has one, sampled at least 1000 times per run and at least every "
           "10 ms."),
    Metric("empty_share", "Time with nothing waiting", "share", "", "Queue",
           "Fraction of time with an empty queue; the link may be busy with the packet in service.", key=True),
    Metric("sampled_empty_share", "Samples with nothing waiting", "share", "", "Queue",
           "Fraction of the sampling instants with an empty queue."),
    Metric("loss_rate", "Loss rate", "share", "lower", "Loss",
           "Of a link: drops / arrivals. Of traffic: packets lost / packets sent.", key=True),
    Metric("mark_rate", "Mark rate", "share", "", "Loss", "CE marks / arrivals.", key=True),
    Metric("utilization", "Utilization", "share", "higher", "Link",
           "Bits sent / bits that the link could have sent. A packet in transmission at the start or end of the "
           "statistics counts with the part sent between them; outages are no capacity.", key=True),
    Metric("jain", "Jain's fairness index", "ratio", "higher", "Fairness",
           "(Σx)² / (n Σx²) over the goodput of the flows whose data crosses the link, or of the group; "
           "1 is an equal share for all, 1/n is all for one.", key=True),
    Metric("arrivals", "Arrivals", "count", "", "Counts", "Packets offered to the queue."),
    Metric("departures", "Departures", "count", "", "Counts",
           "Packets sent, counted when their transmission starts."),
    Metric("drops", "Drops", "count", "", "Counts", "Packets lost at the queue, all causes."),
    Metric("drops_early", "Drops, early", "count", "", "Counts",
           "Drops by the law's random or rule-based choice."),
    Metric("drops_forced", "Drops, forced", "count", "", "Counts",
           "Drops that the AQM makes with certainty, for instance when its average is above the upper threshold."),
    Metric("drops_sojourn", "Drops at the head", "count", "", "Counts", "Packets that the AQM drops at the head."),
    Metric("drops_overflow", "Drops by overflow", "count", "", "Counts", "Packets that found no room."),
    Metric("drops_evicted", "Drops by eviction", "count", "", "Counts", "Packets removed to make room for others."),
    Metric("filtered_acks", "ACKs filtered", "count", "", "Counts",
           "Queued ACKs that an ACK filter removed because a newer one makes them redundant; arrivals of the queue, "
           "but not drops."),
    Metric("marks", "Marks", "count", "", "Counts", "Packets CE-marked instead of dropped."),
    Metric("link_losses", "Losses of the link itself", "count", "", "Counts",
           "Packets lost by the link's own loss model, in front of the queue; not drops of the queue."),
    Metric("policed", "Packets policed", "count", "", "Counts",
           "Packets dropped at the link's edge, by a conditioner or a full shaper, in front of the queue; neither "
           "arrivals nor drops of the queue."),
    # A flow, and a group of flows.
    Metric("goodput_bps", "Goodput", "rate", "higher", "Flows",
           "Payload bits delivered in order to the application, each byte once, per second.", key=True),
    Metric("throughput_bps", "Throughput", "rate", "", "Flows",
           "Bits that crossed the watched link per second, headers and repeats included; packets in transmission "
           "count as in utilization."),
    Metric("fair_share", "Goodput relative to the fair goodput", "share", "", "Flows",
           "Goodput / (capacity / number of flows), Kantawala's percentage."),
    Metric("rtt_mean_s", "Round-trip time, mean", "time", "lower", "Flows", "As measured by the sender.", key=True),
    Metric("srtt_mean_s", "Smoothed round-trip time, mean", "time", "lower", "Flows", "The sender's SRTT."),
    Metric("cwnd_mean_pkts", "Congestion window, mean", "packets", "", "Flows", "Mean over time, at the sender."),
    Metric("sent_pkts", "Packets sent", "count", "", "Flows", "At the sender, retransmissions included."),
    Metric("retransmitted_pkts", "Packets retransmitted", "count", "", "Flows", "At the sender."),
    Metric("timeouts", "Retransmission timeouts", "count", "lower", "Flows", "At the sender.", key=True),
    Metric("fast_retransmits", "Fast retransmits", "count", "", "Flows", "At the sender."),
    Metric("lost_pkts", "Packets lost", "count", "", "Flows",
           "The flow's packets that were sent and lost during the statistics, anywhere on the path."),
    Metric("owd_mean_s", "One-way delay, mean", "time", "lower", "Flows",
           "From the sending of a packet to its arrival at the receiver, over those that arrive: of datagrams, with "
           "`delays = true` of data packets of a TCP. A retransmission is a packet of its own, from its own sending.",
           key=True),
    Metric("owd_sd_s", "One-way delay, standard deviation", "time", "lower", "Flows", "As owd_mean_s."),
    Metric("owd_p50_s", "One-way delay, median", "time", "lower", "Flows", "As owd_mean_s."),
    Metric("owd_p95_s", "One-way delay, 95th percentile", "time", "lower", "Flows", "As owd_mean_s."),
    Metric("owd_p99_s", "One-way delay, 99th percentile", "time", "lower", "Flows", "As owd_mean_s."),
    Metric("owd_p999_s", "One-way delay, 99.9th percentile", "time", "lower", "Flows", "As owd_mean_s."),
    Metric("jitter_mean_s", "Jitter, mean", "time", "lower", "Flows",
           "Mean absolute difference between the one-way delays of two packets of a flow (of a TCP: of a connection) "
           "that arrive one after the other, |D(i-1, i)| of RFC 3550, section 6.4.1."),
    Metric("mos", "Mean opinion score", "number", "higher", "Flows",
           "Calls (`call` of cbr): quality from 1 to 4.5 by the E-model, ITU-T G.107 with its defaults, from "
           "mouth_to_ear_s and lost packets. From 4.34 users are very satisfied, below 3.6 many are dissatisfied.",
           key=True),
    Metric("r_factor", "Transmission rating R", "number", "higher", "Flows",
           "Calls: the rating of the E-model from which `mos` follows; 93.2 without delay and loss."),
    Metric("mouth_to_ear_s", "Mouth-to-ear delay", "time", "lower", "Flows",
           "Calls: time to fill a packet, and the one-way delay until play-out. The play-out delay is the one that "
           "gives the best rating; packets that arrive later count as lost."),
    Metric("qoo", "Quality of Outcome", "number", "higher", "Flows",
           "Traffic with `qoo`: how well the network meets an application's requirements, from 0 (unacceptable) to 100 "
           "(optimal), by draft-ietf-ippm-qoo. It is the lowest of the scores of the one-way delays at the given "
           "percentiles and of the loss rate (of FEC: after repair), and 0 if the mean goodput of a flow, pauses "
           "included, is below the minimum.",
           key=True),
    Metric("rpm", "Responsiveness under load (RPM)", "number", "higher", "Flows",
           "Transfers with `rpm_of`: round trips per minute under load, the mean of `rpm_foreign` and `rpm_loaded`, by "
           "draft-ietf-ippm-responsiveness-09 without TLS. 60 is one round trip per second; 1000 or more is good, "
           "6000 or more excellent.",
           key=True),
    Metric("rpm_foreign", "RPM of new connections", "number", "higher", "Flows",
           "60 s / the mean of two durations: the trimmed mean of the handshakes and the trimmed mean of the transfers "
           "that follow. A trimmed mean excludes the largest 5 % of the samples."),
    Metric("rpm_loaded", "RPM of loading connections", "number", "higher", "Flows",
           "60 s / the trimmed mean of the smoothed round-trip times of flows in `rpm_of`. Whenever a probe ends, "
           "the next flow is sampled, round robin. With ns-2 profiles, the samples have the resolution of ns-2's TCP "
           "clock, `tick`."),
    Metric("rpm_probes", "Probes of the responsiveness", "count", "", "Flows", "Probes that ended after the warm-up."),
    Metric("page_mean_s", "Page load time, mean", "time", "lower", "Flows",
           "Web with `delays = true`: from the first request of a page to the acknowledgement of its last object.",
           key=True),
    Metric("page_p50_s", "Page load time, median", "time", "lower", "Flows", "As page_mean_s."),
    Metric("page_p95_s", "Page load time, 95th percentile", "time", "lower", "Flows", "As page_mean_s."),
    Metric("page_p99_s", "Page load time, 99th percentile", "time", "lower", "Flows", "As page_mean_s."),
    Metric("pages", "Pages loaded", "count", "higher", "Flows",
           "Web with `delays = true`: pages whose last object arrived."),
    Metric("completion_mean_s", "Completion time, mean", "time", "lower", "Flows",
           "Finite transfers: first packet sent to last byte acknowledged.", key=True),
    Metric("completion_p50_s", "Completion time, median", "time", "lower", "Flows", "Finite transfers."),
    Metric("completion_p95_s", "Completion time, 95th percentile", "time", "lower", "Flows", "Finite transfers."),
    Metric("completion_p99_s", "Completion time, 99th percentile", "time", "lower", "Flows", "Finite transfers."),
    Metric("completed", "Transfers completed", "count", "higher", "Flows", "Finite transfers that ended."),
    Metric("write_mean_s", "Duration of a write, mean", "time", "lower", "Flows",
           "TCP with write_every, write_rate or writes: time from a write to the acknowledgement of its last packet, "
           "for writes acknowledged after the warm-up."),
    Metric("write_p50_s", "Duration of a write, median", "time", "lower", "Flows", "As write_mean_s."),
    Metric("write_p95_s", "Duration of a write, 95th percentile", "time", "lower", "Flows", "As write_mean_s."),
    Metric("write_p99_s", "Duration of a write, 99th percentile", "time", "lower", "Flows", "As write_mean_s."),
    Metric("writes", "Writes completed", "count", "higher", "Flows",
           "Application writes whose last packet was acknowledged after the warm-up."),
    Metric("round_mean_s", "Round of transfers, mean", "time", "lower", "Flows",
           "Incast: from the start of a round to its last acknowledgement.", key=True),
    Metric("round_p50_s", "Round of transfers, median", "time", "lower", "Flows", "Incast."),
    Metric("round_p95_s", "Round of transfers, 95th percentile", "time", "lower", "Flows", "Incast."),
    Metric("round_p99_s", "Round of transfers, 99th percentile", "time", "lower", "Flows", "Incast."),
    Metric("rounds", "Rounds completed", "count", "higher", "Flows", "Incast: rounds with all transfers completed."),
    Metric("wasted_share", "Wasted bandwidth", "share", "lower", "Flows",
           "Video: bytes delivered of useless frames / bytes delivered of all frames. A frame is useless when a packet "
           "of it was lost, with `dependence` also when a frame that it refers to is. Frames in flight at the "
           "end do not count.", key=True),
    Metric("frames", "Frames", "count", "", "Flows", "Video: frames of which no packet is in flight any more."),
    Metric("useless_frames", "Useless frames", "count", "lower", "Flows", "Video: frames that are useless."),
    Metric("count", "Flows", "count", "", "Flows", "Number of flows of the group."),
    Metric("loss_runs", "Runs of losses", "count", "", "Flows",
           "Runs of consecutive losses of one flow, over all flows of the group."),
    # Blocks of forward error correction.
    Metric("plr_before", "Loss in a block before correction", "share", "lower", "Flows",
           "FEC: packets of a block that were lost / n, mean over the blocks."),
    Metric("plr_after", "Loss in a block after correction", "share", "lower", "Flows",
           "FEC: the same after the repair of blocks that lost at most h packets.", key=True),
    Metric("plr_data_before", "Loss of data before correction", "share", "lower", "Flows",
           "FEC: data packets of a block that were lost / k, mean over the blocks."),
    Metric("plr_data_after", "Loss of data after correction", "share", "lower", "Flows",
           "FEC: the same after the repair of blocks that lost at most h packets."),
    Metric("block_delay_mean_s", "Delay of a block, mean", "time", "lower", "Flows",
           "FEC: from the first to the k-th arrival of a packet of the block, when it can be decoded."),
    Metric("block_delay_max_s", "Delay of a block, largest", "time", "lower", "Flows",
           "FEC: largest time from the first to the k-th arrival in a block."),
    Metric("blocks", "Blocks", "count", "", "Flows",
           "FEC: blocks sent after the warm-up whose packets had all arrived or been lost before the end."),
    # Distributions: arrays over 0, 1, 2, ...
    Metric("length_pmf", "Queue length", "share", "", "Distributions",
           "Fraction of time at each queue length (packets), from 0 to the largest seen."),
    Metric("sampled_length_pmf", "Queue length, sampled", "share", "", "Distributions",
           "Fraction of the sampling instants at each queue length (packets)."),
    Metric("burst_loss_pmf", "Consecutive losses at the queue", "share", "", "Distributions",
           "P(N = n): a burst of losses starts with a drop and ends with the next accepted arrival, all flows."),
    Metric("loss_run_pmf", "Consecutive losses of one flow", "share", "", "Distributions",
           "P(N = n): number of consecutive packets of a flow that are lost between two packets that are not."),
)  # fmt: skip

_BY_NAME = {m.name: m for m in METRICS}
