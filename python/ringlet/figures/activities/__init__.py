"""Activities: what a run does besides its background traffic. Each is a module with its results, and a line here."""
