"""Schemes: the catalog of built-in ones, their base class, and AQMs written in Python."""
