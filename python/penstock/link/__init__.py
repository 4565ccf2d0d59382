"""Real links: the queues of a scenario, carrying the traffic of real hosts. Linux only."""
