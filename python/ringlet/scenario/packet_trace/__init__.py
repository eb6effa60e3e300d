"""Traces of packets, to be replayed: files read as streams, checked record by record."""

from ringlet.scenario.packet_trace.kinds import PacketKind, packet_kind
from ringlet.scenario.packet_trace.reader import REACH, read
from ringlet.scenario.packet_trace.rows import Records
from ringlet.scenario.packet_trace.section import PacketTrace
from ringlet.scenario.packet_trace.stretch import Stretch
from ringlet.scenario.packet_trace.survey import Survey, survey

__all__ = ["REACH", "PacketKind", "PacketTrace", "Records", "Stretch", "Survey", "packet_kind", "read", "survey"]
