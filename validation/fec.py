"""Topology C of Alemu's thesis (chapter 5): N flows of SACK and one Poisson source in blocks of k + h packets; 100 s.

A load of 1 is the source without redundancy, to whose packets the reference applies all three codes; 1 + h/k is the
load with the redundancy of a code. In both cases all packets in their order make the blocks.
"""

from .record_ns2 import Settings
from .reference import Cell
from .setup import Setting, Table, queue, waiting

CODES = ((16, 1), (16, 4), (8, 2))
RATE_KBIT = 500

# Recorded here, for the claims of Figure 5.4: where RED or drop-tail leaves fewer losses.
SEEDS = 20
CELLS = [
    {"scheme": scheme, "N": flows, "load": 1.25, "minrto": 1.0} for scheme in ("DropTail", "gRED") for flows in (70, 85)
]


def command(cell: Settings, seed: int) -> list[str]:
    """The script and its arguments."""
    return ["fec.tcl", *(str(cell[key]) for key in ("scheme", "N", "load", "minrto")), str(seed), "100"]


RED = {"min_th": 5, "max_th": 15, "w_q": 0.002, "mean_packet": "500B"}

METRICS = {
    **{
        "q_mean_exact": "length_mean_pkts",
        "q_mean": "length_sampled_mean_pkts",
        "q_var": "length_sampled_var_pkts2",
        "p_empty": "sampled_empty_share",
    },
    **{"loss": "loss_rate", "util": "utilization", "jain": "traffic.tcp.jain"},
    **{"tcp_loss": "traffic.tcp.loss_rate", "tcp_goodput_bps": "traffic.tcp.goodput_bps"},
    **{"tcp_run1": "traffic.tcp.loss_run_pmf.0", "tcp_run2": "traffic.tcp.loss_run_pmf.1"},
    **{"udp_loss": "traffic.udp.loss_rate"},
    **{"udp_run1": "traffic.udp.loss_run_pmf.0", "udp_run2": "traffic.udp.loss_run_pmf.1"},
}

BLOCK_METRICS = {"plrbc": "plr_before", "plr": "plr_after", "plrdata": "plr_data_after"}


def settings(cell: Cell) -> list[Setting] | str:
    """The scenarios of a cell, one for each code, or why there are none."""
    if reason := waiting(str(cell.settings["scheme"])):
        return reason
    found = []
    for k, h in CODES:
        own = {f"{name}_{k}_{h}": f"traffic.udp.{ours}" for name, ours in BLOCK_METRICS.items()}
        metrics = {metric: where for metric, where in own.items() if metric in cell.metrics}
        if metrics:
            # The rest of the cell is the same with all codes, which change no packet.
            rest = {} if found else {metric: where for metric, where in METRICS.items() if metric in cell.metrics}
            found.append(Setting(scenario(cell, k, h), rest | metrics))
    return found


def scenario(cell: Cell, k: int, h: int) -> Table:
    """The cell with its source in blocks of k + h packets."""
    flows, load = int(cell.settings["N"]), float(cell.settings["load"])
    access = {"to": "R1", "rate": "100Mbit", "delay": {"uniform": ["20ms", "100ms"]}}
    tcp: Table = {
        **{"kind": "tcp", "profile": "ns2", "flavour": "sack", "min_rto": f"{cell.settings['minrto']}s"},
        **{"packet": "1200B", "window": 20, "from": "S{i}", "to": "R2", "count": flows},
        **{"start": {"uniform": ["0s", "1s"]}},
    }
    udp: Table = {
        **{"kind": "fec", "k": k, "h": h, "from": "S", "to": "R2", "packet": "573B", "headers": "0B"},
        "rate": f"{1000 * RATE_KBIT * load * k / (k + h):.0f}bit",
    }
    return {
        "name": f"FEC {cell.name} ({k},{h})",
        "duration": "100s",
        "sampling": "10ms",
        "links": {
            "bottleneck": {
                **{"from": "R1", "to": "R2", "rate": "10Mbit", "delay": "30ms", "watch": True},
                "queue": queue(str(cell.settings["scheme"]), 35, RED),
            },
            "source": {**access, "from": "S"},
            "sources": {**access, "from": "S{i}", "count": flows},
        },
        "traffic": {"udp": udp, "tcp": tcp},
    }
