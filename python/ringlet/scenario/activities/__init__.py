"""Activities: what a run does besides background traffic; one file or folder each, listed in `registry`."""
