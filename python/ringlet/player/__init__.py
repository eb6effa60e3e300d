"""The ring player: one self-contained page that plays a recording, symbol by symbol."""

from ringlet.player.page import MAX_NODE_CYCLES, page, page_of_both, security_policy, write_both, write_player
from ringlet.player.play import Player, play

__all__ = [
    "MAX_NODE_CYCLES",
    "Player",
    "page",
    "page_of_both",
    "play",
    "security_policy",
    "write_both",
    "write_player",
]
