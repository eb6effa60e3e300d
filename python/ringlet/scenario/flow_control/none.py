"""No flow control."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet.analysis import response_bounds
from ringlet.scenario.flow_control.protocol import FlowControl

if TYPE_CHECKING:
    from ringlet.analysis.response_bounds import Analysis, RingFlows


class NoFlowControl(FlowControl):
    """No flow control: a node sends whenever its bypass FIFO is empty, and may starve behind others."""

    protocol: Literal["none"] = "none"

    lemmas: ClassVar[tuple[int, ...]] = (4, 5, 6)
    bounded_without_echoes: ClassVar[bool] = True
    survives_losses: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    modelled: ClassVar[bool] = True
    holds_what_passes: ClassVar[bool] = True
    takes_slow_links: ClassVar[bool] = True

    def response_analysis(self, flows: "RingFlows", options: Mapping[str, Any]) -> "Analysis":
        """Returns the analysis of docs/explanation/guarantees.md, Section 3."""
        del options

        return response_bounds.Uncontrolled(flows)

    def bypass_room(self, options: Mapping[str, Any], nodes: int, longest_symbols: int) -> int | None:
        """Returns what comes in while the longest packet and its idle are sent: it begins with an empty FIFO."""
        del options, nodes
        return longest_symbols + 1
