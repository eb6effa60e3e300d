# What `ringlet.scenario` offers. `__init__.py` reads this file and imports each name at its first use.

from ringlet.scenario.activities.flow import Payload as Payload
from ringlet.scenario.activities.messages.keys import Message as Message
from ringlet.scenario.activities.messages.periodic import PeriodicMessage as PeriodicMessage
from ringlet.scenario.file.positions import key_of as key_of
from ringlet.scenario.file.positions import line_in as line_in
from ringlet.scenario.file.writing import write_scenario as write_scenario
from ringlet.scenario.file_schema import json_schema as json_schema
from ringlet.scenario.flow_control import FlowControl as FlowControl
from ringlet.scenario.flow_control.groups import GroupStep as GroupStep
from ringlet.scenario.keys.errors import ErrorLink as ErrorLink
from ringlet.scenario.keys.errors import Errors as Errors
from ringlet.scenario.keys.errors import FailingNode as FailingNode
from ringlet.scenario.keys.queues import Queues as Queues
from ringlet.scenario.keys.retry import Retry as Retry
from ringlet.scenario.keys.run import Run as Run
from ringlet.scenario.network import Network as Network
from ringlet.scenario.network import OneRing as OneRing
from ringlet.scenario.packet_trace.section import PacketTrace as PacketTrace
from ringlet.scenario.patterns.matrix import RandomMatrix as RandomMatrix
from ringlet.scenario.resolved.replay import Replay as Replay
from ringlet.scenario.scenario import Scenario as Scenario
from ringlet.scenario.scenario import ScenarioLike as ScenarioLike
from ringlet.scenario.traffic.section import Mix as Mix
from ringlet.scenario.traffic.section import Traffic as Traffic
from ringlet.scenario.traffic.section import TrafficSection as TrafficSection
