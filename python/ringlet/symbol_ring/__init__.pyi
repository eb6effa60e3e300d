from ringlet.symbol_ring.known import NoneStation as NoneStation
from ringlet.symbol_ring.known import SciStation as SciStation
from ringlet.symbol_ring.packets import Packet as Packet
from ringlet.symbol_ring.ring import Stall as Stall
from ringlet.symbol_ring.ring import SymbolRing as SymbolRing
from ringlet.symbol_ring.station import Here as Here
from ringlet.symbol_ring.station import Next as Next
from ringlet.symbol_ring.station import Station as Station
