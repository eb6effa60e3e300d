"""Which network a data-acquisition system needs: candidates simulated, and what they cost."""

from ringlet.advise.advice import Advice, advice, advise
from ringlet.advise.requirements import Prices, Requirements

__all__ = ["Advice", "Prices", "Requirements", "advice", "advise"]
