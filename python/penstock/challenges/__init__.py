"""Search for networks in which a scheme does worse than others."""
