# SPDX-License-Identifier: MIT
"""The chart of the manual: panels with bars, or with lines of what grows, as one SVG. It suits light and dark
backgrounds, and the same results give the same bytes."""
import collections
import html
import math

WIDTH, GAP, HEAD = 590, 10, 28  # of a panel, in pixels
LABELS, VALUES, BAR, BAR_GAP = 252, 62, 13, 4  # of bars: the columns of text, the height of a bar
PLOT, LEFT, RIGHT, FOOT, LEGEND = 190, 56, 14, 20, 15  # of lines
COLUMNS, TICKS = 2, 4
COLOURS = ("#3b82c4", "#d9772b", "#3f9d53", "#c4453f", "#8b66b8", "#8f6a4f")
OURS, THEIRS = COLOURS[0], "#8c959f"
STYLE = """
text { font: 11px sans-serif; fill: #24292f } .title { font-weight: bold; font-size: 12px }
.faint { fill: #6e7781; font-size: 10px } .back { fill: #ffffff }
.panel { fill: #f6f8fa; stroke: #d0d7de } .grid { stroke: #d8dee4; stroke-width: 1 }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .faint { fill: #8b949e } .back { fill: #0d1117 }
.panel { fill: #161b22; stroke: #30363d } .grid { stroke: #2b323b } }
"""

# `bars`: pairs of a name and a value. `log`: from 10 on, each step of the axis is ten times the one before.
Bars = collections.namedtuple("Bars", "title unit bars log", defaults=(False,))
# `lines`: pairs of a name and points (x, y), all above 0; both axes are logarithmic.
Lines = collections.namedtuple("Lines", "title unit x lines")


def shown(value):
    for bound, suffix in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= bound:
            return f"{value / {'M': 1e6, 'k': 1e3}[suffix]:.3g}{suffix}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def text(x, y, words, name="", anchor="start"):
    kind = f' class="{name}"' if name else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{html.escape(words)}</text>'


def part_of(value, top, log):
    """How long a bar is, of 1. What is below the axis' begin has none."""
    if log:
        return max(0.0, math.log10(max(value, 10) / 10) / math.log10(top / 10))
    return max(0.0, value / top)


def draw_bars(panel):
    most = max((value for _, value in panel.bars), default=1)
    top = max(most, 100 if panel.log else 1e-9)
    room = WIDTH - LABELS - VALUES
    parts = []
    for i, (name, value) in enumerate(panel.bars):
        y = HEAD + i * (BAR + BAR_GAP)
        length = room * part_of(value, top, panel.log)
        colour = OURS if name.startswith("lanner") else THEIRS
        parts += [text(LABELS - 6, y + BAR - 3, name, anchor="end"),
                  f'<rect x="{LABELS}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2" fill="{colour}"/>',
                  text(LABELS + length + 5, y + BAR - 3, f"{shown(value)} {panel.unit}", "faint")]
    return parts


def height_of(panel):
    if isinstance(panel, Bars):
        return HEAD + len(panel.bars) * (BAR + BAR_GAP) + 8
    return HEAD + PLOT + FOOT + LEGEND * len(panel.lines) + 8


def decades(values):
    """From which power of ten to which one an axis goes."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def draw_lines(panel):
    points = [point for _, line in panel.lines for point in line]
    (x_low, x_high), (y_low, y_high) = (decades([point[axis] for point in points]) for axis in (0, 1))

    def place(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(x) - x_low) / (x_high - x_low),
                HEAD + PLOT * (1 - (math.log10(y) - y_low) / (y_high - y_low)))

    parts = []
    for power in range(y_low, y_high + 1):
        y = place(10 ** x_low, 10 ** power)[1]
        parts += [f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>',
                  text(LEFT - 5, y + 3, shown(10 ** power), "faint", "end")]
    for power in range(x_low, x_high + 1):
        parts.append(text(place(10 ** power, 10 ** y_low)[0], HEAD + PLOT + 13, shown(10 ** power), "faint", "middle"))
    for i, (name, line) in enumerate(panel.lines):
        colour, y = COLOURS[i % len(COLOURS)], HEAD + PLOT + FOOT + LEGEND * (i + 1) - 4
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in line)
        parts += [f'<polyline class="line" stroke="{colour}" points="{path}"/>',
                  f'<rect x="{LEFT}" y="{y - 5}" width="9" height="3" fill="{colour}"/>',
                  text(LEFT + 14, y, name, "faint")]
    return parts


def draw_panel(panel, x, y):
    draw = draw_bars if isinstance(panel, Bars) else draw_lines
    title = panel.title if isinstance(panel, Bars) else f"{panel.title}, {panel.unit}, by {panel.x}"
    return [f'<g transform="translate({x},{y})">',
            f'<rect class="panel" width="{WIDTH}" height="{height_of(panel)}" rx="4"/>',
            text(10, 18, title, "title"), *draw(panel), "</g>"]


def draw(panels, note):
    """The SVG; `note` stands below."""
    drawn = [panel for panel in panels if (panel.bars if isinstance(panel, Bars) else
                                           any(line for _, line in panel.lines))]
    parts, y = [], GAP
    for begin in range(0, len(drawn), COLUMNS):
        row = drawn[begin:begin + COLUMNS]
        for column, panel in enumerate(row):
            parts += draw_panel(panel, GAP + column * (WIDTH + GAP), y)
        y += max(map(height_of, row)) + GAP
    width = COLUMNS * (WIDTH + GAP) + GAP
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 16}" width="{width}" height="{y + 16}">',
        f"<style>{STYLE}</style>", f'<rect class="back" width="{width}" height="{y + 16}"/>', *parts,
        text(GAP, y + 8, note, "faint"), "</svg>", ""])
