"""Tables of periodic messages."""
