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
    delay_p50_s: float
    delay_p95_s: float
    delay_p99_s: float
    delay_p999_s: float
    delay_sd_s: float
    jitter_sd_s: float
    length_mean_pkts: float
    length_var_pkts2: float
    length_sampled_mean_pkts: float
    length_sampled_var_pkts2: float
    average_mean_pkts: float
    empty_share: float
    sampled_empty_share: float
    loss_rate: float
    mark_rate: float
    utilization: float
    jain: float
    arrivals: int
    departures: int
    drops: int
    drops_early: int
    drops_forced: int
    drops_sojourn: int
    drops_overflow: int
    drops_evicted: int
    filtered_acks: int
    marks: int
    link_losses: int
    policed: int
    goodput_bps: float
    throughput_bps: float
    fair_share: float
    rtt_mean_s: float
    srtt_mean_s: float
    cwnd_mean_pkts: float
    sent_pkts: int
    retransmitted_pkts: int
    timeouts: int
    fast_retransmits: int
    lost_pkts: int
    owd_mean_s: float
    owd_sd_s: float
    owd_p50_s: float
    owd_p95_s: float
    owd_p99_s: float
    owd_p999_s: float
    jitter_mean_s: float
    mos: float
    r_factor: float
    mouth_to_ear_s: float
    qoo: float
    rpm: float
    rpm_foreign: float
    rpm_loaded: float
    rpm_probes: int
    page_mean_s: float
    page_p50_s: float
    page_p95_s: float
    page_p99_s: float
    pages: int
    completion_mean_s: float
    completion_p50_s: float
    completion_p95_s: float
    completion_p99_s: float
    completed: int
    write_mean_s: float
    write_p50_s: float
    write_p95_s: float
    write_p99_s: float
    writes: int
    round_mean_s: float
    round_p50_s: float
    round_p95_s: float
    round_p99_s: float
    rounds: int
    wasted_share: float
    frames: int
    useless_frames: int
    count: int
    loss_runs: int
    plr_before: float
    plr_after: float
    plr_data_before: float
    plr_data_after: float
    block_delay_mean_s: float
    block_delay_max_s: float
    blocks: int
    length_pmf: npt.NDArray[np.float64]
    sampled_length_pmf: npt.NDArray[np.float64]
    burst_loss_pmf: npt.NDArray[np.float64]
    loss_run_pmf: npt.NDArray[np.float64]
