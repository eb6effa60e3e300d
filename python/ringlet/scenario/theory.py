"""The theory of a scenario by the names of what is returned, beside those of the commands."""

from ringlet.scenario.bound import bound as optimum
from ringlet.scenario.latency_model import model as latency_model

__all__ = ["latency_model", "optimum"]
