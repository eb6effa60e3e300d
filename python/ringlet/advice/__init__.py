"""The choice of a network for a data-acquisition system: candidates are simulated and priced."""

from ringlet.advice.advice import Advice, advise
from ringlet.advice.requirements import Prices, Requirements

__all__ = ["Advice", "Prices", "Requirements", "advise"]
