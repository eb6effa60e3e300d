from ringlet.theory.collective_bound import bandwidth_bound_cycles as bandwidth_bound_cycles
from ringlet.theory.collective_bound import latency_bound_cycles as latency_bound_cycles
from ringlet.theory.guarantee import checked as checked
from ringlet.theory.placement import Placement as Placement
from ringlet.theory.placement import changed as changed
