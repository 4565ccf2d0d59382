"""Numbers over runs: metrics, samples, summaries, tables, and how numbers are displayed."""
