from ringlet.player.page import MAX_NODE_CYCLES as MAX_NODE_CYCLES
from ringlet.player.page import page as page
from ringlet.player.page import page_of_both as page_of_both
from ringlet.player.page import security_policy as security_policy
from ringlet.player.page import write_both as write_both
from ringlet.player.page import write_player as write_player
from ringlet.player.play import Player as Player
from ringlet.player.play import play as play
