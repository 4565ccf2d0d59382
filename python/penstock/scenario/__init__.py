"""Scenarios: their elements, reading and checking, and the canonical form for the engine."""
