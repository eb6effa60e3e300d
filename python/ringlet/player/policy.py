"""The content security policy of pages: no request to a network, and no script but our own."""

import base64
import hashlib
from collections.abc import Iterable


def security_policy(scripts: Iterable[str], *, made: bool = False, compiled: bool = False) -> str:
    """Returns the policy for a page in which these scripts stand.

    A browser runs a script only if its digest is here, so that nothing that comes from a name in a scenario runs. The
    digests are of the scripts that we ship, never of what a page was found to hold.

    Args:
        scripts: the text between the tags of each script.
        made: whether they make modules and import them, from `blob:` addresses.
        compiled: whether they compile WebAssembly; that allows no JavaScript from a string.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") for script in scripts]
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    trusted = " ".join([sources, *(["blob:"] if made else []), *(["'wasm-unsafe-eval'"] if compiled else [])])
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {trusted}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
