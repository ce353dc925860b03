"""The benchmark's chart: latency of each peer as a ratio to the fastest reference, one group of bars for each network, as SVG."""

COLORS = ["#1b6e5a", "#3fa37f", "#8fd0b5", "#b5651d", "#d9a566", "#5b6c9e", "#8c9bc4", "#9a9a9a"]
BAR, GAP, ROW, LEFT, WIDTH = 9, 10, 16, 150, 640
LIMIT = 3.0  # longer bars are truncated and labelled with their value


def bars(rows, peers, counts, best):
    """`rows` are those of the report. `best` returns the reference time of a row in ms, or None."""
    parts, y = [], 20
    for index, peer in enumerate(peers):
        x = LEFT + index % 4 * 130
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLORS[index % len(COLORS)]}"/>')
        parts.append(text(x + 14, y, peer))
        if index % 4 == 3:
            y += ROW
    y += 2 * ROW
    for threads in counts:
        parts.append(text(10, y, f"{threads} thread{'s' if threads > 1 else ''}", weight="bold"))
        top = y
        y += GAP
        for row in (row for row in rows if row["threads"] == threads and best(row)):
            shown = [(i, row["peers"][p]["min_ms"] / best(row)) for i, p in enumerate(peers) if p in row["peers"]]
            parts.append(text(LEFT - 8, y + BAR * len(shown) / 2 + 4, row["network"], anchor="end"))
            for i, ratio in shown:
                length = min(ratio, LIMIT) / LIMIT * (WIDTH - 60)
                parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{COLORS[i % len(COLORS)]}"/>')
                parts.append(text(LEFT + length + 4, y + BAR - 1, f"{ratio:.2f}", size=8))
                y += BAR
            y += GAP
        one = LEFT + (WIDTH - 60) / LIMIT
        parts.append(f'<line x1="{one:.1f}" y1="{top}" x2="{one:.1f}" y2="{y - GAP}" stroke="#333" stroke-dasharray="3 3"/>')
        y += ROW
    caption = "Smallest latency as a ratio to the fastest runtime that computes as the program says (dashed line); shorter is faster"
    parts.append(text(LEFT, y, caption, size=10))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH}" height="{y + 15}" font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>'] + parts + ["</svg>"]) + "\n"


def text(x, y, content, size=11, anchor="start", weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">{content}</text>'
