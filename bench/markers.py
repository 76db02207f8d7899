"""Measured tables on pages of docs/, between the markers `<!-- name -->` and `<!-- /name -->`."""

import math
import re


def number(value):
    """Three significant digits, without an exponent between a thousandth and a million."""
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        return f"{value:.1e}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def fill(page, parts):
    """Puts each part between its markers on the page."""
    text = page.read_text()
    for name, content in parts.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, count = pattern.subn(lambda match: f"{match[1]}{content}\n{match[2]}", text)
        if count != 1:
            raise SystemExit(f"{page}: {count} places for the table '{name}'")
    page.write_text(text)
