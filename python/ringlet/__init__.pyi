# What `import ringlet` offers. `__init__.py` reads this file and imports each name at its first use.

from ringlet import plots as plots
from ringlet._engine import __version__ as __version__
from ringlet.advice import advise as advise
from ringlet.analysis import maximal_conflict_grouping as maximal_conflict_grouping
from ringlet.analysis import maximal_conflict_pair_grouping as maximal_conflict_pair_grouping
from ringlet.analysis import optimal_throughput as optimal_throughput
from ringlet.analysis import optimal_throughput_with_echo as optimal_throughput_with_echo
from ringlet.errors import RingletError as RingletError
from ringlet.exploration import check as check
from ringlet.player import Player as Player
from ringlet.player import play as play
from ringlet.scenario import Scenario as Scenario
from ringlet.simulation import Result as Result
from ringlet.simulation import run as run
from ringlet.simulation.stepping import Counters as Counters
from ringlet.simulation.stepping import Simulation as Simulation
from ringlet.simulation.stepping import StallError as StallError
from ringlet.studies import Study as Study
from ringlet.studies import SweepResult as SweepResult
from ringlet.studies.breakdown import breakdown as breakdown
from ringlet.studies.schedulability import schedulability as schedulability
from ringlet.studies.sweep import sweep as sweep
from ringlet.theory.bound import bound as bound
from ringlet.theory.guarantee import guarantee as guarantee
from ringlet.theory.latency_model import model as model
