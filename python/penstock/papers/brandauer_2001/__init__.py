"""C. Brandauer et al., "Comparison of Tail Drop and Active Queue Management Performance", ISCC 2001."""
