"""Real links: the queues of a scenario under the traffic of real hosts. Linux only."""
