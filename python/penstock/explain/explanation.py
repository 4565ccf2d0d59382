"""The data behind `penstock explain`: a scheme's settings on a link, and its picture."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _native
from penstock.aqms.catalog import Scheme, find_scheme
from penstock.errors import ErrorCollector, ErrorDetail, PenstockError, ScenarioError
from penstock.model.operating_point import (
    OperatingCurve,
    OperatingPoint,
    damping_table,
    flow_counts,
    operating_table,
    picture_notes,
    probability_axis_top,
    queue_law,
)
from penstock.model.operating_point import operating_json as operating_json
from penstock.model.stability import SHARES, FluidLoop, FluidPrediction, fluid_law
from penstock.scenario.loaded_link import LARGEST_BDP, LoadedLink
from penstock.scenario.resolve.queues import QueueSpec, read_queue
from penstock.scenario.resolve.reader import Table
from penstock.scenario.resolve.settings import LengthContext
from penstock.studies.candidate import Candidate
from penstock.units import UnitError, format_rate, format_time, parse_rate, parse_time

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from penstock.explain import text as explain

POINTS = 401
SAMPLES = 320
STEPS = ((0.9, 2.0), (1.5, 10.0), (0.9, 4.0))
"""The load steps of the response picture: fraction of the link's rate, duration in seconds."""
MAX_PACKETS = 2_000_000
"""On fast links the steps are shorter, so that computing the picture takes at most a second."""
SIZES = (500, 1000, 1500)
"""Packet sizes in bytes of the flows in the picture of the service order."""
SERVED = 40
PACKET = 1000
"""Packet size in bytes for schemes without a parameter for it."""
RESPONSE_WORDS = (
    "Ten unresponsive flows send 0.9 times the link's rate, 1.5 times from second 2 to 12, then 0.9 times again."
)
FLUID_WORDS = (
    "By the fluid model (ps.model.Fluid, eta = 3/2, no timeouts), about its own equilibrium: an oscillating loop does "
    "not stay at its point; degrees are the phase margin."
)
SERVICE_WORDS = "Three flows with packets of 500, 1000 and 1500 bytes always have packets waiting."


@dataclass(frozen=True)
class Explanation:
    """A scheme with its settings on a link."""

    candidate: Candidate
    queue: QueueSpec
    link: dict[str, Any]
    conditions_text: str
    flows: tuple[int, int] | None = None
    """The range of the number of flows, for the queue law."""
    packet: float | None = None
    """Bytes of the link's packets; None for those that the scheme assumes."""

    @property
    def entry(self) -> dict[str, Any]:
        """The scheme's entry in the registry."""
        entry: dict[str, Any] = next(e for e in json.loads(_native.schemes()) if e["name"] == self.candidate.name)
        return entry

    @property
    def picture_kind(self) -> str:
        """The kind of picture that shows the scheme best: "drop function", "response" or "service"."""
        return str(self.entry["picture"])

    def drop_function_curve(self) -> tuple[list[float], list[float]] | None:
        """Average queue lengths in packets up to the limit, and the drop probability at each; None if not defined."""
        top = _packets(self.queue.canonical["limit"])
        xs = [top * i / (POINTS - 1) for i in range(POINTS)]
        ys = _native_result(_native.drop_function, *self._bench(), xs)
        return None if ys is None else (xs, ys)

    def operating_curve(self) -> OperatingCurve | None:
        """The scheme's control function and the queue law; None without `flows` or without a control function."""
        name, settings, link = self._bench()
        highest = self._setting("max_p_high")
        # an AQM that adapts max_p holds the most flows at its highest max_p
        chosen = json.dumps(json.loads(settings) | ({} if highest is None else {"max_p": highest}))
        if self.flows is None or _native_result(_native.drop_function, name, chosen, link, [0.0]) is None:
            return None
        limit = self.queue.canonical["limit"]
        if limit == "inf":
            raise PenstockError("--limit inf: the queue law is drawn up to the limit; give one such as 500p")
        size, rate, rtt = self._plant()
        law = queue_law("mark" if self._setting("ecn") else "drop", rtt, rate)
        max_p = self._setting("max_p") if highest is None else highest
        spacing = self._setting("spacing")
        share = SHARES[spacing or "none"]
        top = max_p[-1] if isinstance(max_p, list) else max_p
        return OperatingCurve.from_control(
            lambda q: share(float(_native_result(_native.drop_function, name, chosen, link, [q])[0])),
            law,
            self._limit_packets(limit, size),
            None if top is None else share(top),
            highest,
            spacing,
        )

    def fluid_loop(self) -> FluidLoop | None:
        """The scheme in the fluid model; None if the model does not have the scheme or its settings."""
        limit = self.queue.canonical["limit"]
        size, rate, rtt = self._plant()
        room = math.inf if limit == "inf" else self._limit_packets(limit, size)
        law = fluid_law(self.candidate.name, self._setting, rate, size, room)
        return None if law is None else FluidLoop(law, rtt, rate)

    def fluid_predictions(self) -> list[FluidPrediction]:
        """The prediction of the fluid model for each number of flows; empty if the model does not cover the scheme."""
        loop = self.fluid_loop()
        return loop.predictions(flow_counts(*self.flows)) if loop is not None and self.flows is not None else []

    @property
    def loaded_link(self) -> LoadedLink:
        """The link in packets of the plant; for a range of flows, design rules get its geometric mean."""
        size, rate, rtt = self._plant()
        limit = self.queue.canonical["limit"]
        room = LARGEST_BDP * rtt * rate if limit == "inf" else self._limit_packets(limit, size)
        return LoadedLink("this link", float(self.link["rate"]), rtt, room, size, self.link["flows"] or 1)

    @staticmethod
    def _limit_packets(limit: Any, size: float) -> float:
        return float(limit["packets"]) if "packets" in limit else float(limit["bytes"]) / size

    def _plant(self) -> tuple[float, float, float]:
        """Packet size in bytes, rate of the link in packets per second, and round-trip time in seconds."""
        packet = self._setting("mean_packet")
        size = PACKET if packet is None else packet["bytes"] if isinstance(packet, dict) else packet
        size = size if self.packet is None else self.packet
        return size, self.link["rate"] / (8 * size), self.link["rtt_ns"] / 1e9

    def largest_flows(self, operating: OperatingCurve) -> dict[str, int]:
        """The largest number of flows at which the queue stays in the stable part: by "drop" and, with ECN, "mark"."""
        signals = ("drop", "mark") if self.entry["ecn"] else ("drop",)
        law = operating.law
        return {signal: operating.largest_flows(queue_law(signal, law.rtld, law.service_rate)) for signal in signals}

    def _setting(self, name: str) -> Any:
        """The canonical value of a setting, given or default; None if the scheme has no such setting or derives it."""
        settings = self.queue.canonical["params"]
        param = next((param for param in find_scheme(self.candidate.name).params if param.name == name), None)
        value = settings.get(name, param.default if param is not None else None)
        return None if value == "auto" else value

    def step_response(
        self, load: Sequence[tuple[float, float]] = STEPS, samples: int = SAMPLES
    ) -> dict[str, list[float]]:
        """The response to load steps above the link's rate and back, from `_native.step_response`."""
        packets = sum(share * seconds for share, seconds in load) * self.link["rate"] / 8000
        shorter = min(1.0, MAX_PACKETS / packets)
        steps = [(share, seconds * shorter) for share, seconds in load]
        response: dict[str, list[float]] = _native_result(_native.step_response, *self._bench(), steps, samples)
        return response

    def service_order(self) -> list[tuple[int, float, float]]:
        """The order in which backlogged flows or classes are served, from `_native.service_order`."""
        # The queue has room for all packets, since the picture shows service, not drops.
        name, settings, link = self._bench()
        link = json.dumps({**json.loads(link), "limit": {"packets": 1000}})
        order: list[tuple[int, float, float]] = _native_result(
            _native.service_order, name, settings, link, list(SIZES), SERVED
        )
        return order

    def lane_labels(self) -> list[str]:
        """Labels of the lanes in the picture of the service order."""
        classes = self.queue.canonical["params"].get("classes")
        if not classes:
            return [f"flow {i + 1}: {size} B" for i, size in enumerate(SIZES)]
        lanes = []
        for i, size in enumerate(SIZES):
            own = classes[i]["params"] if i < len(classes) else {}
            settings = [f"{key} {own[key]:g}" for key in ("priority", "weight", "share") if key in own]
            lanes.append(", ".join([f"{classes[i]['name'] if i < len(classes) else 'other'}: {size} B", *settings]))
        return lanes

    def text(self, width: int) -> str:
        """The whole explanation as text, in lines of at most `width` characters."""
        from penstock.explain import standard_case
        from penstock.explain import text as explain

        columns = min(60, width - 12)
        drawings = [self.drawing(columns), *([self.queue_law_drawing(columns)] if self.flows is not None else [])]
        return explain.explain(
            self.entry, drawings, width, measured=tuple(standard_case.result_sentences(self.candidate.name))
        )

    def operating_points(self, operating: OperatingCurve) -> list[OperatingPoint]:
        """The operating point for each number of flows."""
        return [operating.point(flows) for flows in flow_counts(*self.flows)] if self.flows is not None else []

    def queue_law_drawing(self, columns: int) -> explain.TerminalDrawing:
        """The queue law for a terminal: the control function, the needed probability, and the operating points."""
        from penstock.explain import text as explain

        operating = self.operating_curve()
        if operating is None:
            words = f"{self.candidate.name} has no drop probability over the mean queue for the queue law to meet."
            damping = self.fluid_predictions()
            return explain.TerminalDrawing(
                "Queue law", damping_table(damping), f"{words} {FLUID_WORDS}" if damping else words
            )
        points = self.operating_points(operating)
        needed = (operating.needed_probability(flows) for flows in self.flows or ())
        curves = [operating.curve(), *(curve for curve in needed if curve[0])]
        top = probability_axis_top(operating, points)
        marks = [
            (p.queue, p.probability, f"{'●' if p.is_stable else '○'}{p.flows}")
            for p in points
            if p.queue is not None and p.probability is not None and p.probability <= top
        ]
        plot = explain.terminal_curves(curves, marks, top, columns, 16, "mean queue (packets) → probability")
        damping, words = self.fluid_predictions(), picture_notes(operating, self.largest_flows(operating))
        words = f"{words} {FLUID_WORDS}" if damping else words
        return explain.TerminalDrawing("Queue law", f"{plot}\n\n{operating_table(points, damping)}", words)

    def as_json(self) -> dict[str, Any]:
        """The content of the explanation as plain values."""
        curve, operating = self.drop_function_curve(), self.operating_curve()
        document = {"scheme": self.entry, "queue": self.queue.readable, "link": self.link}
        if curve is not None:
            document["drop_function"] = {"queue_pkts": curve[0], "probability": curve[1]}
        if operating is not None:
            document["queue_law"] = operating_json(
                operating, self.operating_points(operating), self.largest_flows(operating)
            )
        loop = self.fluid_loop()
        if loop is not None and self.flows is not None:
            document["fluid"] = loop.as_json(self.fluid_predictions())
        return document

    def drawing(self, columns: int) -> explain.TerminalDrawing:
        """The picture for a terminal, as text."""
        from penstock.explain import text as explain

        if self.picture_kind == "service":
            plot = explain.lane_plot(self.service_order(), self.lane_labels(), columns)
            return explain.TerminalDrawing("Service", plot, f"{SERVICE_WORDS} {self.conditions_text}")
        curve = self.drop_function_curve() if self.picture_kind == "drop function" else None
        if curve is not None:
            return explain.TerminalDrawing(
                "Drop function", explain.terminal_plot(*curve, columns=columns), self.conditions_text
            )
        response = self.step_response()
        plots = [
            explain.terminal_plot(response["t"], values, columns, 6, axes)
            for values, axes in (
                ([1e3 * x for x in response["delay"]], "time (s) → queueing delay (ms)"),
                ([100 * x for x in response["lost"]], "time (s) → lost (%)"),
            )
        ]
        return explain.TerminalDrawing("Response", "\n\n".join(plots), f"{RESPONSE_WORDS} {self.conditions_text}")

    def figure(self) -> Figure:
        """The picture as a Matplotlib figure: queue law, drop function, response, or order of service."""
        from penstock.plots import control_law, drop_function, response, service_order

        operating = self.operating_curve()
        if operating is not None:
            return control_law.draw(self.candidate.label, operating, self.operating_points(operating))
        if self.picture_kind == "service":
            return service_order.draw(self.service_order(), self.lane_labels())
        curve = self.drop_function_curve() if self.picture_kind == "drop function" else None
        if curve is None:
            return response.draw(self.step_response())
        params = self.queue.canonical["params"]
        thresholds = {
            name: _packets(params[name]) for name in ("min_th", "max_th") if isinstance(params.get(name), dict)
        }
        return drop_function.draw({self.candidate.label: curve}, thresholds)

    def draw(self, file: Path) -> None:
        """Write the picture to a file whose type follows from its suffix."""
        from penstock.plots import style

        try:
            style.save(self.figure(), file)
        except ValueError as error:
            raise PenstockError(str(error)) from None

    def _bench(self) -> tuple[str, str, str]:
        return self.candidate.name, json.dumps(self.queue.canonical["params"]), json.dumps(self.link)


def _native_result(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a native function; its objections to the settings become errors."""
    try:
        return function(*arguments)
    except ValueError as error:
        errors = [ErrorDetail(error["path"], error["message"]) for error in json.loads(str(error))]
        raise ScenarioError(errors) from None


def example_settings(scheme: Scheme, rate: int) -> dict[str, Any]:
    """Example values for required settings, as in a file: a fraction of the link as a rate, three classes."""
    settings: dict[str, Any] = {}
    for param in scheme.params:
        if not param.required:
            continue
        if param.kind == "classes":
            settings[param.name] = [_class(scheme, i, rate) for i in range(len(SIZES))]
        elif param.kind == "rate":
            settings[param.name] = f"{rate * (0.5 if param.name == 'cir' else 0.95):.0f}bit"
        elif param.kind == "size":
            settings[param.name] = "60kB" if param.name == "mir_th" else "10kB"
        else:
            settings[param.name] = scheme.example(param)
    return settings


def _class(scheme: Scheme, i: int, rate: int) -> dict[str, Any]:
    names = {param.name for param in scheme.class_params}
    own: dict[str, Any] = {
        "priority": i, "weight": (3, 2, 1)[i], "share": (0.5, 0.3, 0.2)[i], "mean_packet": f"{SIZES[i]}B",
        "burst": 2, "rate": f"{rate * (0.4, 0.3, 0.1)[i]:.0f}bit",
    }  # fmt: skip
    if "weight" in names:  # a class has either a weight or a share
        names.discard("share")
    if "priority" not in names:
        names.discard("rate")
    name = ("first", "second", "third")[i]
    match = {} if i == len(SIZES) - 1 else {"match": {"dscp": (46, 10)[i]}}
    return {"name": name, **match, **{key: value for key, value in own.items() if key in names}}


def prepare_explanation(
    scheme: str, link: str, rtt: str, flows: str | None, limit: str, packet: float | None = None
) -> Explanation:
    """Read the options of `explain`; `packet` in bytes. Raises `PenstockError` with all errors."""
    candidate = Candidate.parse(scheme, f"explain {scheme}")
    errors = ErrorCollector()
    rate = _read(errors, "--rate", link, parse_rate)
    trip = _read(errors, "--rtt", rtt, parse_time)
    between = _read(errors, "--count", flows, _flows) if flows is not None else None
    if errors.details:
        raise ScenarioError(errors.details)
    # "auto" settings and lengths in BDP need facts that a scenario would give; required settings get example values.
    info = find_scheme(candidate.name)
    errors = ErrorCollector({"": candidate.origin})
    table = {"scheme": candidate.name, "limit": limit, **example_settings(info, rate), **candidate.params}
    queue = read_queue(Table(errors, "", table), LengthContext(rate, None, lambda: trip))
    if errors.details or queue is None:
        raise ScenarioError(errors.details)
    # design rules get the geometric mean of the range as the number of flows
    count = None if between is None else round(math.sqrt(between[0] * between[1]))
    about = {"rate": rate, "limit": queue.canonical["limit"], "rtt_ns": trip, "flows": count}
    limit_text = queue.readable["limit"]
    words = (
        f"Drawn for a link of {format_rate(rate)} with a round trip of {format_time(trip)} and a limit of {limit_text}."
    )
    return Explanation(candidate, queue, about, words, between, packet)


def _read(errors: ErrorCollector, option: str, text: str, parse: Any) -> Any:
    try:
        return parse(text)
    except UnitError as error:
        errors.add(option, str(error), text)
        return None


def _flows(text: str) -> tuple[int, int]:
    """The number of flows, or a range A..B."""
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not match or not 0 < int(match[1]) <= int(match[2] or match[1]):
        raise UnitError("write a number of flows such as 50, or a range such as 50..400")
    return int(match[1]), int(match[2] or match[1])


def _packets(length: Any) -> float:
    """A canonical length in packets of 1000 bytes; 100 for no limit."""
    if length == "inf":
        return 100.0
    return float(length["packets"]) if "packets" in length else length["bytes"] / 1000
