"""`penstock fit`: fit a scenario to captures of a real link."""

from __future__ import annotations

from typing import Annotated

from penstock.cli.options import OUTPUT, JsonTarget, argument, value_option
from penstock.cli.output import Outputs, notify, notify_all
from penstock.cli.output_files import output_file_of_type

EXAMPLE = "penstock fit examples/uplink.pcap.gz -o twin.toml"

CaptureFiles = Annotated[
    list[str],
    argument("CAPTURE ...", "Captures as pcap or pcapng, plain or compressed. Successive captures are joined."),
]
Output = Annotated[str | None, value_option("-o --output", "FILE.toml", "The scenario to write.", OUTPUT)]


def fit(*, captures: CaptureFiles, output: Output = None, json_target: JsonTarget = None) -> None:
    """Fit a scenario to captures of a real link: its bottleneck, and senders that react when the queue is replaced.

    Prints each estimate with its interval, or the reason why the capture does not determine it. Packets that
    belong neither to TCP nor to long QUIC flows are replayed from captures that are written next to the scenario.
    """
    from penstock.fitting import display
    from penstock.fitting.fit import fit

    outputs = Outputs.from_options(json_target)
    file = None if output is None else output_file_of_type(output, "-o", ".toml")
    fitted = fit(captures)
    notify_all(fitted.notes)
    outputs.show(display.fit_text(fitted))
    outputs.write_json(fitted.to_dict())
    if file is not None:
        for path in fitted.save(file):
            notify(f"written: {path}")
