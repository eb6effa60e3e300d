from ringlet.verification.check import check_report as check_report
from ringlet.verification.check import document_text as document_text
from ringlet.verification.check import read_report as read_report
from ringlet.verification.schema import json_schema as json_schema
from ringlet.verification.sentences import named as named
from ringlet.verification.verification import Verification as Verification
from ringlet.verification.verification import verified_set as verified_set
from ringlet.verification.verification import verify as verify
