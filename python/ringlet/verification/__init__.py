"""A message set verified, from its bounds to a document that is signed, and computed again."""

from ringlet.verification.verification import Verification, verify

__all__ = ["Verification", "verify"]
