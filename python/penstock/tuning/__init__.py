"""Advice: which queue, with which parameters, meets an aim on a link, proven by runs with fresh seeds."""
