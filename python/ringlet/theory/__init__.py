"""Theory of a scenario: optimum, queueing model, guaranteed response times, placement."""
