# What `ringlet.scenario` offers. `__init__.py` reads this file and imports each name at its first use.

from ringlet.scenario.flow_control import FlowControl as FlowControl
from ringlet.scenario.flow_control.groups import GroupStep as GroupStep
from ringlet.scenario.flows import Payload as Payload
from ringlet.scenario.keys import json_schema as json_schema
from ringlet.scenario.link_errors import ErrorLink as ErrorLink
from ringlet.scenario.link_errors import Errors as Errors
from ringlet.scenario.link_errors import FailingNode as FailingNode
from ringlet.scenario.message_set import PeriodicMessage as PeriodicMessage
from ringlet.scenario.messages import Message as Message
from ringlet.scenario.network import Network as Network
from ringlet.scenario.network import OneRing as OneRing
from ringlet.scenario.packet_trace.section import PacketTrace as PacketTrace
from ringlet.scenario.patterns.matrix import RandomMatrix as RandomMatrix
from ringlet.scenario.replay import Replay as Replay
from ringlet.scenario.retry import Retry as Retry
from ringlet.scenario.scenario import Scenario as Scenario
from ringlet.scenario.scenario import ScenarioLike as ScenarioLike
from ringlet.scenario.sections import Queues as Queues
from ringlet.scenario.sections import Run as Run
from ringlet.scenario.traffic import Mix as Mix
from ringlet.scenario.traffic import Traffic as Traffic
from ringlet.scenario.traffic import TrafficSection as TrafficSection
