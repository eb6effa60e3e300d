"""A campaign: trials of many kinds, each made from a seed, in worker processes with limits of memory and time.

`make campaign` runs a short one, `make nightly` a long one. A kind of trial is a module in `kinds` and one line in its
list; what must hold for every scenario is a function in `checks` and one line in its list. docs/explanation/promises.md
explains more.
"""
