"""A scenario from captures of a real link: its bottleneck, its connections and their senders."""
