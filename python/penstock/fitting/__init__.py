"""Fit a scenario to captures of a real link: estimate its bottleneck, its connections and their senders."""
