"""Named workloads: the traffic of the users of a home, an office or a data centre, as groups of traffic.

A workload is a table of its own in a scenario; before a scenario is resolved, each of its parts becomes a plain table
of traffic named `WORKLOAD-PART`. `from` is the side of the servers, `to` the side of the users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from penstock.aqms.queue import Element
from penstock.scenario.elements import Names, Value

__all__ = ["KINDS", "PARTS", "Workload", "WorkloadKind", "WorkloadPart", "default_flow_count", "one_flow_per"]

Tables = Mapping[str, Any]

_LINUX: Tables = {"profile": "linux", "flavour": "cubic", "delays": True}


@dataclass(frozen=True)
class WorkloadPart:
    """One application.

    Attributes:
        doc: description, with the numbers of one user.
        source: where these numbers stand.
        downstream_table: table of traffic from the servers to the users; None if there is none.
        upstream_table: table of traffic from the users to the servers; with both, its group is called `PART-up`.
        count_key: the key that counts the flows.
        loads: parts of the same workload under whose load this one measures the responsiveness (`rpm_of`).

    """

    doc: str
    source: str
    downstream_table: Tables | None = None
    upstream_table: Tables | None = None
    count_key: str = "count"
    loads: tuple[str, ...] = ()

    def groups(self, name: str) -> Iterator[tuple[str, Tables, bool]]:
        """The groups of traffic: name, table, and whether it goes from the users to the servers."""
        if self.downstream_table is not None:
            yield name, self.downstream_table, False
        if self.upstream_table is not None:
            yield name if self.downstream_table is None else f"{name}-up", self.upstream_table, True


def _web(objects: int, size: str) -> Tables:
    return {
        "kind": "web",
        "pages": {"exp": "30s"},
        "objects": objects,
        "gap": {"exp": "30ms"},
        "size": {"exp": size},
        "start": {"uniform": ["0s", "30s"]},
        **_LINUX,
    }


def _stream(segment: str) -> Tables:
    return {"kind": "tcp", "bytes": segment, "arrivals": "4s", "start": {"uniform": ["0s", "4s"]}, **_LINUX}


_CALL: Tables = {
    "kind": "cbr",
    "rate": "80kbit",
    "packet": "172B",
    "phase": "random",
    "dscp": "EF",
    "call": "g711",
    "qoo": {"delays": {"99%": ["100ms", "400ms"]}, "loss": ["1%", "5%"]},
}
_MEETING: Tables = {
    "kind": "video",
    "rate": "1200kbit",
    "fps": 30,
    "phase": "random",
    "dscp": "AF41",
    "qoo": {"delays": {"99%": ["200ms", "500ms"], "99.9%": ["300ms", "600ms"]}, "loss": ["1%", "5%"]},
}
_ALMANAC = "HTTP Archive, Web Almanac 2024, chapter Page Weight"
_READING = "reading time: IEEE 802.16m-08/004r5, Evaluation Methodology Document, section 10 (HTTP)"
_NETFLIX = "Netflix help centre, recommended connection speeds; the length of segments is chosen"

PARTS: Mapping[str, WorkloadPart] = {
    "web": WorkloadPart(
        "Active users of the web: the median page of 71 objects and 2652 KiB, read for 30 s on average; requests "
        "of a page 30 ms apart on average (chosen: a page is requested in about 2 s)",
        f"{_ALMANAC} (desktop); {_READING}",
        downstream_table=_web(71, "38249B"),
        count_key="sessions",
    ),
    "mobile_web": WorkloadPart(
        "As web, with the median page of a mobile device: 66 objects, 2311 KiB",
        f"{_ALMANAC} (mobile); {_READING}",
        downstream_table=_web(66, "35856B"),
        count_key="sessions",
    ),
    "calls": WorkloadPart(
        "Telephone calls, both ways, without silence suppression: G.711, 50 packets a second with 160 B of speech, 80 "
        "kbit/s with RTP, UDP and IP; code point EF. `qoo` falls from 100 to 0 while the 99th percentile of the delay "
        "rises from 100 to 400 ms, or the loss from 1 to 5 %",
        "RFC 3551, section 4.5.14 and table 1 (PCMU, 20 ms); RFC 4594, section 4.1 (EF); ITU-T Y.1541, class 0 (100 "
        "ms); ITU-T G.114 (400 ms); draft-ietf-ippm-qoo (loss of its example)",
        downstream_table=_CALL,
        upstream_table=_CALL,
    ),
    "meetings": WorkloadPart(
        "Video calls of 720p, both ways: 1.2 Mbit/s, 30 frames a second; code point AF41. `qoo` falls from 100 to 0 "
        "while the 99th percentile of the delay rises from 200 to 500 ms, the 99.9th from 300 to 600 ms, or the loss "
        "from 1 to 5 %",
        "Zoom, bandwidth usage for meetings (one-to-one, 720p); RFC 4594, section 4.3 (AF41); draft-ietf-ippm-qoo (the "
        "requirements of its example)",
        downstream_table=_MEETING,
        upstream_table=_MEETING,
    ),
    "video": WorkloadPart(
        "Streamed films of 1080p: segments of 4 s at 5 Mbit/s, each segment a transfer over TCP",
        _NETFLIX,
        downstream_table=_stream("2500kB"),
    ),
    "video_720p": WorkloadPart(
        "Streamed films of 720p: segments of 4 s at 3 Mbit/s, each segment a transfer over TCP",
        _NETFLIX,
        downstream_table=_stream("1500kB"),
    ),
    "games": WorkloadPart(
        "Players of a shooter: 127 B each 62 ms from the server, 82 B each 41.7 ms from the player, plus headers",
        "J. Färber, Network game traffic modelling, NetGames 2002, table 1 (means of its trace, recalled)",
        downstream_table={"kind": "cbr", "rate": "20kbit", "packet": "127B", "phase": "random"},
        upstream_table={"kind": "cbr", "rate": "21103bit", "packet": "82B", "phase": "random"},
    ),
    "backups": WorkloadPart(
        "Backups from the users to the servers: endless TCP transfers",
        "RFC 7928, section 5.1.1: long-lived flows that the application does not limit",
        upstream_table={"kind": "tcp", **_LINUX},
    ),
    "probes": WorkloadPart(
        "Probes of the responsiveness (RPM) of the backups' direction: a new connection for one packet every 100 ms",
        "draft-ietf-ippm-responsiveness, at most 100 probes a second; their gap is chosen",
        upstream_table={"kind": "tcp", "packets": 1, "packet": "1B", "arrivals": "100ms", **_LINUX},
        loads=("backups",),
    ),
    "downloads": WorkloadPart(
        "Downloads one after another: 500 kB, then a pause of 5 s on average",
        "3GPP TR 36.814, annex A.2.1.3.1 (FTP traffic model 2)",
        downstream_table={"kind": "onoff", "on": {"packets": 343}, "off": {"exp": "5s"}, **_LINUX},
    ),
    "flows": WorkloadPart(
        "Flows of all sizes of a cluster for web search (mean 1.71 MB), each server offering 100 Mbit/s; DCTCP",
        "Alizadeh et al., Data Center TCP, SIGCOMM 2010, figure 4 (sizes); the load is chosen",
        downstream_table={
            "kind": "tcp",
            "bytes": {"cdf": "web-search"},
            "load": "100Mbit",
            "profile": "linux",
            "flavour": "dctcp",
            "delays": True,
            "ecn": True,
            "min_rto": "10ms",
        },
    ),
    "queries": WorkloadPart(
        "Queries every 100 ms that all servers answer together, with 25 kB each (1 MB from 40 servers); DCTCP",
        "Alizadeh et al., section 4.2.1 (incast: 1 MB / n from each of n servers; RTO 10 ms)",
        downstream_table={
            "kind": "incast",
            "bytes": "25kB",
            "every": "100ms",
            "profile": "linux",
            "flavour": "dctcp",
            "delays": True,
            "ecn": True,
            "min_rto": "10ms",
        },
        count_key="senders",
    ),
}
"""The applications of which workloads consist."""


def one_flow_per(share: int) -> Callable[[int], int]:
    """One flow per `share` users, rounded up."""
    return lambda users: -(-users // share)


def _fixed(count: int) -> Callable[[int], int]:
    return lambda users: count


def _all(users: int) -> int:
    return users


@dataclass(frozen=True)
class WorkloadKind:
    """A kind of workload, such as "office".

    Attributes:
        doc: description.
        default_users: number of users unless the scenario gives one.
        parts: the number of flows of each part, for a number of users; a part with 0 is left out unless the scenario
            gives a number. These shares are chosen, not measured.

    """

    doc: str
    default_users: int
    parts: Mapping[str, Callable[[int], int]] = field(default_factory=dict)


KINDS: Mapping[str, WorkloadKind] = {
    "home": WorkloadKind(
        "A household in the evening: all browse, one film, one game, one video call",
        3,
        {"web": _all, "video": _fixed(1), "games": _fixed(1), "meetings": _fixed(1)},
    ),
    "office": WorkloadKind(
        "An office: all browse; a call for each 12, a video call for each 20 users; two backups",
        60,
        {
            "web": _all,
            "calls": one_flow_per(12),
            "meetings": one_flow_per(20),
            "backups": _fixed(2),
            "probes": _fixed(0),
        },
    ),
    "school": WorkloadKind(
        "A school: all browse; a film for each 15 users, a video call for each 30",
        30,
        {"web": _all, "video": one_flow_per(15), "meetings": one_flow_per(30)},
    ),
    "data-centre": WorkloadKind(
        "Servers (the users) of a cluster: flows of all sizes, and queries that all answer",
        40,
        {"flows": _all, "queries": _all},
    ),
    "mobile": WorkloadKind(
        "Users of a mobile cell: all browse; a download for each 5, a film of 720p for each 10, a call for each 10",
        10,
        {"mobile_web": _all, "downloads": one_flow_per(5), "video_720p": one_flow_per(10), "calls": one_flow_per(10)},
    ),
    "satellite": WorkloadKind(
        "Users behind a satellite terminal: all browse; one film of 720p, one call",
        4,
        {"web": _all, "video_720p": _fixed(1), "calls": _fixed(1)},
    ),
    "campus-uplink": WorkloadKind(
        "The uplink of a campus: all browse; a film for each 20 users, a video call, a call and a player for each 50, "
        "a backup for each 100",
        200,
        {
            "web": _all,
            "video": one_flow_per(20),
            "meetings": one_flow_per(50),
            "calls": one_flow_per(50),
            "games": one_flow_per(50),
            "backups": one_flow_per(100),
            "probes": _fixed(0),
        },
    ),
}
"""The named workloads."""

PartCountOrKeys = int | Mapping[str, Any]
"""A number of flows, or a table of keys of traffic that replace those of the part."""


def default_flow_count(kind: WorkloadKind, part: str, users: int) -> int:
    """The number of flows of a part if the scenario gives none."""
    return kind.parts[part](users) if part in kind.parts else 0


@dataclass(frozen=True, kw_only=True, repr=False)
class Workload(Element):
    """A named workload, such as `Workload("office", users=60, from_="S", to="C")`.

    Any part may be added to any kind: as its number of flows, or as a table that replaces keys of its traffic,
    such as `{"count": 5, "dscp": 0}`; the key `up` of such a table has those that replace keys only of the direction
    from the users. 0 leaves a part out.

    Attributes:
        kind: home, office, school, data-centre, mobile, satellite or campus-uplink.
        count: number of copies (households, offices, ...), each with its own flows and its own node: `to="H{i}"`.
        users: number of users, which determines the numbers of flows; with `count`, the users of each copy.
        from_: node of the servers.
        to: node of the users.
        start: start of all parts; by default 0 s, within 30 s for web, 4 s for films and 1 s for backups.
        stop: time at which all stop.
        web, mobile_web, calls, meetings, video, video_720p, games, backups, probes, downloads, flows, queries: the
            parts.

    """

    kind: Literal["home", "office", "school", "data-centre", "mobile", "satellite", "campus-uplink"] = field(
        kw_only=False
    )
    count: int | None = None
    users: int | None = None
    from_: Names | None = None
    to: Names | None = None
    start: Value | None = None
    stop: str | None = None
    web: PartCountOrKeys | None = None
    mobile_web: PartCountOrKeys | None = None
    calls: PartCountOrKeys | None = None
    meetings: PartCountOrKeys | None = None
    video: PartCountOrKeys | None = None
    video_720p: PartCountOrKeys | None = None
    games: PartCountOrKeys | None = None
    backups: PartCountOrKeys | None = None
    probes: PartCountOrKeys | None = None
    downloads: PartCountOrKeys | None = None
    flows: PartCountOrKeys | None = None
    queries: PartCountOrKeys | None = None
