"""J. Chung, M. Claypool, "Analysis of Active Queue Management", NCA 2003."""
