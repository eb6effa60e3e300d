"""Runs the cases and says what they give: `python -m validation [--write] [ID]...`.

`--write` puts it into the table.
"""

import argparse
import re

from validation.case import TABLE, cases

HEAD = "[[case]]\n"


def with_result(text: str, expected: float, obtained: float, verdict: str) -> str:
    """Returns the text of a case with these lines in place of its last ones, before its note."""
    text = re.sub(r"^(expected|obtained|verdict) = .*\n", "", text, flags=re.MULTILINE)
    lines = f'expected = {expected:g}\nobtained = {obtained:g}\nverdict = "{verdict}"\n'
    note = re.search(r"^note = ", text, flags=re.MULTILINE)
    at = note.start() if note else len(text.rstrip("\n")) + 1
    return text[:at] + lines + text[at:]


def write(results: dict[str, tuple[float, float, str]]) -> None:
    head, *texts = TABLE.read_text(encoding="utf-8").split(HEAD)
    for number, text in enumerate(texts):
        name = re.search(r'^id = "(.+)"', text, flags=re.MULTILINE)
        if name and name[1] in results:
            texts[number] = with_result(text, *results[name[1]])
    TABLE.write_text(HEAD.join([head, *texts]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="validation", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these")
    parser.add_argument("--write", action="store_true", help="write what is obtained into the table")
    options = parser.parse_args()
    results = {}
    for case in cases():
        if not options.ids or case.id in options.ids:
            expected, obtained = case.by_theory(), case.run()
            verdict = case.judge(expected, obtained)
            results[case.id] = expected, obtained, verdict
            print(f"{case.id:16} {verdict:8} {obtained:g} for {expected:g} {case.unit}", flush=True)
    if options.write:
        write(results)


if __name__ == "__main__":
    main()
