"""Reproduced papers, one folder each: `paper.toml`, `setup.py`, a module for each figure or table, and the record."""
