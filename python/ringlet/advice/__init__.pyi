from ringlet.advice.advice import Advice as Advice
from ringlet.advice.advice import advice as advice
from ringlet.advice.advice import advise as advise
from ringlet.advice.physics import FLUCTUATION as FLUCTUATION
from ringlet.advice.requirements import Prices as Prices
from ringlet.advice.requirements import Requirements as Requirements
from ringlet.advice.requirements import json_schema as json_schema
