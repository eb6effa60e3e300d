"""The founding papers, reproduced: scenario files, published figures, and how each table and figure is made.

>>> from ringlet.papers import figures_of
>>> figures_of("picker1994")[0].value
24.97
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
