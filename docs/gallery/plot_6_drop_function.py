"""
Drop functions of RED
=====================

The drop probability of an arriving packet against the average queue, for three settings of RED.
"""

from penstock.explain.explanation import prepare_explanation  # what `penstock explain` uses
from penstock.plots import drop_function

settings = {
    "RED": "red:min_th=5,max_th=15,max_p=0.1",
    "gentle": "red:min_th=5,max_th=15,max_p=0.1,gentle=true",
    "nonlinear": "red:min_th=5,max_th=15,max_p=0.1,nonlinear=true",
}
curves = {}
for label, scheme in settings.items():
    curve = prepare_explanation(scheme, "10Mbit", "100ms", None, "50p").drop_function_curve()
    assert curve is not None
    curves[label] = curve
figure = drop_function.draw(curves, thresholds={"min_th": 5, "max_th": 15})
