"""The live bench: pages with the engine in them."""

from __future__ import annotations

__all__: list[str] = []
