"""Reproductions of publications: claims, verdicts, records and pages."""
