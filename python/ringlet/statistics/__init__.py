"""What a simulated series tells: where its transient ends, and how sure its mean is.

Pure numpy and scipy; knows nothing of rings. Warm-up by MSER-5, intervals by batch means or over replications, and the rule
that stops a run at a wanted precision.
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
from ringlet.statistics.replications import replication_means

__all__ = [
    "CONFIDENCE",
    "MAX_BATCHES",
    "MIN_BATCHES",
    "Interval",
    "Truncation",
    "batch_means",
    "collapse",
    "mser5",
    "precise_enough",
    "replication_means",
]
