"""Charts of runs and studies, one a module."""
