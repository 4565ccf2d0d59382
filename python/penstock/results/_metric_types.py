"""The metrics as typed attributes. Made by `make gen`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


class MetricTypes(Mapping[str, Any]):
    """The metrics of a place: numbers, and distributions as arrays over 0, 1, 2, ...; None where a run has none."""

    flows: Mapping[str, npt.NDArray[Any]]
    delay_mean_s: float
    """Queueing delay, mean."""
    delay_p50_s: float
    """Queueing delay, median."""
    delay_p95_s: float
    """Queueing delay, 95th percentile."""
    delay_p99_s: float
    """Queueing delay, 99th percentile."""
    delay_p999_s: float
    """Queueing delay, 99.9th percentile."""
    delay_sd_s: float
    """Queueing delay, standard deviation."""
    jitter_sd_s: float
    """Delay variation."""
    length_mean_pkts: float
    """Queue length, mean."""
    length_var_pkts2: float
    """Queue length, variance."""
    length_sampled_mean_pkts: float
    """Queue length, mean of samples."""
    length_sampled_var_pkts2: float
    """Queue length, variance of samples."""
    average_mean_pkts: float
    """The AQM's average queue, mean."""
    empty_share: float
    """Time with nothing waiting."""
    sampled_empty_share: float
    """Samples with nothing waiting."""
    loss_rate: float
    """Loss rate."""
    mark_rate: float
    """Mark rate."""
    utilization: float
    """Utilization."""
    jain: float
    """Jain's fairness index."""
    arrivals: int
    """Arrivals."""
    departures: int
    """Departures."""
    drops: int
    """Drops."""
    drops_early: int
    """Drops, early."""
    drops_forced: int
    """Drops, forced."""
    drops_sojourn: int
    """Drops at the head."""
    drops_overflow: int
    """Drops by overflow."""
    drops_evicted: int
    """Drops by eviction."""
    filtered_acks: int
    """ACKs filtered."""
    marks: int
    """Marks."""
    link_losses: int
    """Losses of the link itself."""
    policed: int
    """Packets policed."""
    goodput_bps: float
    """Goodput."""
    throughput_bps: float
    """Throughput."""
    fair_share: float
    """Goodput relative to the fair goodput."""
    rtt_mean_s: float
    """Round-trip time, mean."""
    srtt_mean_s: float
    """Smoothed round-trip time, mean."""
    cwnd_mean_pkts: float
    """Congestion window, mean."""
    sent_pkts: int
    """Packets sent."""
    retransmitted_pkts: int
    """Packets retransmitted."""
    timeouts: int
    """Retransmission timeouts."""
    fast_retransmits: int
    """Fast retransmits."""
    lost_pkts: int
    """Packets lost."""
    owd_mean_s: float
    """One-way delay, mean."""
    owd_sd_s: float
    """One-way delay, standard deviation."""
    owd_p50_s: float
    """One-way delay, median."""
    owd_p95_s: float
    """One-way delay, 95th percentile."""
    owd_p99_s: float
    """One-way delay, 99th percentile."""
    owd_p999_s: float
    """One-way delay, 99.9th percentile."""
    jitter_mean_s: float
    """Jitter, mean."""
    mos: float
    """Mean opinion score."""
    r_factor: float
    """Transmission rating R."""
    mouth_to_ear_s: float
    """Mouth-to-ear delay."""
    qoo: float
    """Quality of Outcome."""
    rpm: float
    """Responsiveness under load (RPM)."""
    rpm_foreign: float
    """RPM of new connections."""
    rpm_loaded: float
    """RPM of loading connections."""
    rpm_probes: int
    """Probes of the responsiveness."""
    page_mean_s: float
    """Page load time, mean."""
    page_p50_s: float
    """Page load time, median."""
    page_p95_s: float
    """Page load time, 95th percentile."""
    page_p99_s: float
    """Page load time, 99th percentile."""
    pages: int
    """Pages loaded."""
    completion_mean_s: float
    """Completion time, mean."""
    completion_p50_s: float
    """Completion time, median."""
    completion_p95_s: float
    """Completion time, 95th percentile."""
    completion_p99_s: float
    """Completion time, 99th percentile."""
    completed: int
    """Transfers completed."""
    write_mean_s: float
    """Duration of a write, mean."""
    write_p50_s: float
    """Duration of a write, median."""
    write_p95_s: float
    """Duration of a write, 95th percentile."""
    write_p99_s: float
    """Duration of a write, 99th percentile."""
    writes: int
    """Writes completed."""
    round_mean_s: float
    """Round of transfers, mean."""
    round_p50_s: float
    """Round of transfers, median."""
    round_p95_s: float
    """Round of transfers, 95th percentile."""
    round_p99_s: float
    """Round of transfers, 99th percentile."""
    rounds: int
    """Rounds completed."""
    wasted_share: float
    """Wasted bandwidth."""
    frames: int
    """Frames."""
    useless_frames: int
    """Useless frames."""
    count: int
    """Flows."""
    loss_runs: int
    """Runs of losses."""
    plr_before: float
    """Loss in a block before correction."""
    plr_after: float
    """Loss in a block after correction."""
    plr_data_before: float
    """Loss of data before correction."""
    plr_data_after: float
    """Loss of data after correction."""
    block_delay_mean_s: float
    """Delay of a block, mean."""
    block_delay_max_s: float
    """Delay of a block, largest."""
    blocks: int
    """Blocks."""
    length_pmf: npt.NDArray[np.float64]
    """Queue length."""
    sampled_length_pmf: npt.NDArray[np.float64]
    """Queue length, sampled."""
    burst_loss_pmf: npt.NDArray[np.float64]
    """Consecutive losses at the queue."""
    loss_run_pmf: npt.NDArray[np.float64]
    """Consecutive losses of one flow."""
