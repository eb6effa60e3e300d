"""The papers' sentences as laws: `claims.csv` has each one, a module for each paper tests them."""

from ringlet.papers.claims import picker1994 as _picker1994  # noqa: F401  its import registers the tests
from ringlet.papers.claims import richter1997 as _richter1997  # noqa: F401  its import registers the tests
from ringlet.papers.claims import richter1999 as _richter1999  # noqa: F401  its import registers the tests
from ringlet.papers.claims import todd2001 as _todd2001  # noqa: F401  its import registers the tests
from ringlet.papers.claims.claim import CHECKS, Claim, Finding, Trials, claims
from ringlet.papers.claims.page import claims_page
from ringlet.papers.claims.verdicts import Verdict, claims_document, examine, reasons, verdict

__all__ = [
    "CHECKS",
    "Claim",
    "Finding",
    "Trials",
    "Verdict",
    "claims",
    "claims_document",
    "claims_page",
    "examine",
    "reasons",
    "verdict",
]
