from ringlet.exploration.check import check as check
from ringlet.exploration.checked import Checked as Checked
from ringlet.exploration.checked import Property as Property
from ringlet.exploration.markov import Exact as Exact
from ringlet.exploration.markov import ExactFlow as ExactFlow
from ringlet.exploration.markov import exact as exact
