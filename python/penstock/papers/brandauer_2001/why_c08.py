"""Why c08 and c13: gentle RED with a max_p that is enough for the loss that the flows need."""

from penstock.reproduce.figure import Choice, Claim, Curves, formula, spread

from .setup import LOADS, design, designed, ftp_runs, mean_queue, sd, thresholds

ENOUGH = 0.3
READING = "max_p = 0.3, so that the average stays on the flat part of the ramp"

# GREDstd with max_p of 0.1, as the work has it, 0.2 and 0.3, beside tail-drop.
study = ftp_runs(
    lambda max_p, flows: designed("GREDstd", flows, max_p=max_p),
    {"max_p": Choice([0.1, ENOUGH], [0.1, 0.2, ENOUGH]), "flows": LOADS},
    labels={"scheme": "GREDstd"},
) + ftp_runs(designed, {"scheme": ["TD"], "flows": LOADS})

max_th = formula(lambda flows: thresholds("GREDstd", design(flows))[1], "max_th")
CLAIMS = (
    Claim("c08", "the queue of gentle RED stays below max_th", mean_queue(max_p=ENOUGH) <= max_th, reading=READING),
    Claim(
        "c13",
        "the deviation of gentle RED varies less with the load than tail-drop's",
        sd(max_p=ENOUGH).along("flows", spread) < sd(scheme="TD").along("flows", spread),
        reading=READING,
    ),
)

draw = Curves("flows", "sd", "max_p", where={"scheme": "GREDstd"}, labels=("flows", "sd of delay (ms)"), log="x")
