# SPDX-License-Identifier: MIT
"""Results as tables of Markdown."""
from . import rounds
from .watchers import UNTRACED


def markdown(head, rows):
    """The first column is text, all others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value):
    """Three digits, and whole numbers from 100 on."""
    if value is None:
        return ""
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def medians(part, unit, by):
    """Row -> median of what a step measured in a unit."""
    return {row.what: rounds.median(row.samples) for row in part.rows(unit) if row.by == by}


def added(part, unit):
    """Step -> row -> what it adds to the figure without a watcher, whose medians stand under UNTRACED."""
    base = medians(part, unit, UNTRACED)
    table = {UNTRACED: base}
    for step in part.data["steps"]:
        if step != UNTRACED:
            table[step] = {what: value - base[what] for what, value in medians(part, unit, step).items()
                           if what in base}
    return table


def slower(part, unit):
    """Step -> row -> by how many percent it is slower than without a watcher: medians of the rounds' ratios."""
    table = {}
    for step in part.data["steps"]:
        cells = {}
        for row in part.rows(unit):
            base = part.samples(row.what, UNTRACED, unit)
            if row.by == step and base and step != UNTRACED:
                cells[row.what] = 100 * (rounds.ratio(row.samples, base) - 1)
        if cells:
            table[step] = cells
    return table


def steps_by_rows(table, titles, first):
    """A table with a row for each step, and a column for each of the titles (name of a row -> its heading)."""
    used = [what for what in titles if any(what in cells for cells in table.values())]
    return markdown([first, *(titles[what] for what in used)],
                    [[step, *(number(cells.get(what)) for what in used)] for step, cells in table.items() if cells])


def left_out(part):
    return "\n".join(f"- left out: {step}: {why}" for step, why in part.left_out.items())
