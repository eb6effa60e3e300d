"""Every state that a small ring or network can come to: what may happen, and what never does."""

from ringlet.exploration.check import check
from ringlet.exploration.checked import Checked, Property

__all__ = ["Checked", "Property", "check"]
