"""The other sections of a scenario file, and the file as a whole: typed, with defaults."""
