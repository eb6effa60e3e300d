"""Every state that a small ring or network can come to: what may happen, and what never does."""

from ringlet.exploration.check import check
from ringlet.exploration.checked import Checked, Property
from ringlet.exploration.markov import Exact, ExactFlow, exact

__all__ = ["Checked", "Exact", "ExactFlow", "Property", "check", "exact"]
