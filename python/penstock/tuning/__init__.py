"""Advice: the queue and the parameters that meet an aim on a link, confirmed by runs on fresh networks."""
