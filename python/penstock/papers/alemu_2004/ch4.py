"""The ends of chapters 2 to 4 and of the thesis: PSAND against all others (Section 4.7, Conclusion)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import MANY, better, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import AQS, EMPTY, LRL1, LU, VQS
from penstock.reproduce.figure import Claim, every, some

study = controllers.study("same") + controllers.study("diff")

METRICS = ("AQS", "VQS", "PLR", "LU", "F", "empty", "LRL1")
OTHERS = others("PSAND")
SAME, DIFF = {"topology": "same"}, {"topology": "diff"}

CLAIMS = (
    Claim(
        "ch4/c1",
        "with unequal round trips PSAND is best by all metrics",
        every(*(better(name, "PSAND", OTHERS) for name in METRICS))(**DIFF),
        "averages over N better than the seven others (Table 4.3: not AQS, LU, F)",
    ),
    Claim(
        "ch4/c1",
        "with unequal round trips PSAND is best by all metrics but fairness",
        every(*(better(name, "PSAND", OTHERS) for name in METRICS if name != "F"))(**DIFF),
        "averages over N better than the seven others",
        reading="all but fairness, as in the Conclusion",
    ),
    Claim("ch4/c2", "PSAND has most single losses on both links", swept(higher(LRL1, "PSAND", OTHERS))),
    Claim(
        "concl/c3",
        "no scheme is better than PSAND by all metrics at once, on either link",
        every(
            *(
                some(every(*(better(name, "PSAND", scheme) for name in METRICS)))(**on)
                for on in (SAME, DIFF)
                for scheme in OTHERS
            )
        ),
        "PSAND better than each other one by the average of at least one metric",
        must_hold=True,
    ),
    Claim(
        "concl/c4",
        "PSAND works with few and with many flows, LRED fails with few",
        every(
            every(*(higher(q, "LRED", "PSAND") for q in (VQS, EMPTY)), lower(LU, "LRED", "PSAND"))(flows=3),
            *((q(scheme="PSAND") <= q(scheme="LRED") * 1.4)(flows=MANY) for q in (AQS, VQS)),
        )(**SAME),
        "3 flows: VQS, P(X=0) of LRED above, LU below; N >= 73: AQS, VQS of PSAND at most 1.4 of LRED's",
    ),
)
