"""Recordings of a Linux kernel in virtual time, as those in ``tests/data/linux``; README.md tells how they are made."""
