"""Schemes: the catalog of built-in ones, their base class, and laws written in Python."""
