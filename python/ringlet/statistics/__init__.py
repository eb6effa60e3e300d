"""Statistics of a simulated series: the end of its transient, and the interval of its mean.

Pure numpy and scipy, and independent of rings. Warm-up by MSER-5, intervals by batch means or over replications, and
the rule that stops a run at a given precision.
"""

from ringlet.statistics.batch_means import (
    CONFIDENCE,
    MAX_BATCHES,
    MIN_BATCHES,
    Interval,
    batch_means,
    collapse,
    precise_enough,
)
from ringlet.statistics.mser import Truncation, mser5
from ringlet.statistics.paired import Paired, paired
from ringlet.statistics.replications import replication_means

__all__ = [
    "CONFIDENCE",
    "MAX_BATCHES",
    "MIN_BATCHES",
    "Interval",
    "Paired",
    "Truncation",
    "batch_means",
    "collapse",
    "mser5",
    "paired",
    "precise_enough",
    "replication_means",
]
