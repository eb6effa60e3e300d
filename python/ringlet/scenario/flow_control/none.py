"""No flow control."""

from typing import ClassVar, Literal

from ringlet.scenario.flow_control.protocol import FlowControl


class NoFlowControl(FlowControl):
    """No flow control: a node sends whenever its bypass FIFO is empty."""

    protocol: Literal["none"] = "none"

    on_networks: ClassVar[bool] = True
    modelled: ClassVar[bool] = True
    stores_and_forwards: ClassVar[bool] = True
