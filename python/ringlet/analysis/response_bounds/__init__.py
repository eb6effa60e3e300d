"""Upper bounds of response times on rings that are proven: docs/explanation/guarantees.md has every lemma.

Each protocol's analysis says how long a packet waits if no packet has waited longer than its bound so far; the fixed
point of that is a bound of all. Pure numpy.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
