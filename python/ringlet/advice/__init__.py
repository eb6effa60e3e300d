"""Which network a data-acquisition system needs: candidates simulated, and what they cost."""

from ringlet.advice.advice import Advice, advise
from ringlet.advice.requirements import Prices, Requirements

__all__ = ["Advice", "Prices", "Requirements", "advise"]
