"""The theory of a scenario by the names of what is returned, beside those of the commands."""

from ringlet.theory.bound import bound as optimum
from ringlet.theory.latency_model import model as latency_model

__all__ = ["latency_model", "optimum"]
