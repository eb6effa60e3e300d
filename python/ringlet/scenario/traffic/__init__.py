"""Background traffic: its keys, when nodes generate requests, and traffic matrices."""
