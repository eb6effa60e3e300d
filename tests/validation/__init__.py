"""ringlet against facts of the literature outside the papers that it was built from: the table, and how it is run."""
