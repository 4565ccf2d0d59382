"""Reproductions of published works: claims, verdicts, records and pages."""
