"""Names that a page must not run, and scripts that nobody who made the page put there."""

NAMES = (
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    '"><svg onload="window.ran = 1">',
    "javascript:window.ran=1",
    "{{ 7 * 7 }} ${window.ran = 1} {% raw %}",
    "<!--<script>",
    "</style></title></textarea>&lt;b&gt;",
    "\u202egnirts\u2066 \u2028\u2029 \U0001f480",
    "-->]]>\x01",
)
"""Names that break pages put together from text."""

SMUGGLED = (
    "<script>window.ran = 1</script>"
    "<script type='module'>window.ran = 2</script>"
    "<script src='data:text/javascript,window.ran=3'></script>"
    "<script type='module' src='data:text/javascript,window.ran=4'></script>"
    "<img src='data:,x' onerror='window.ran = 5'>"
    "<a id='smuggled' href='javascript:window.ran=6'>x</a><iframe srcdoc='<script>parent.ran = 7</script>'></iframe>"
    "<base href='https://example.invalid/'>"
)
"""What somebody who could write into a page would try."""


def smuggled_into(html: str) -> str:
    """Returns a page with that at the beginning of its body."""
    before, body, after = html.partition("<body>")
    assert body
    return before + body + SMUGGLED + after
