"""Theory of a single ring: the optimum, the deviation from it, and transmission groups.

Pure numpy. Nodes and links are numbered from 0; link `k` runs from node `k` to node `k + 1` modulo `N`.

References: picker1994 (D. Picker, R. D. Fellman, P. M. Chau, "Enhancing SCI's Fairness Protocol for Increased
Throughput", 1994), Sections 4 (optimum), 5.2 (deviation) and 5.1 (grouping).
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
