# SPDX-License-Identifier: Apache-2.0
"""Sweeps and histories as CSV and as SVG: panels side by side, each a line through its points."""
PANELS = (("area_mm2", "area, mm2"), ("fmax_mhz", "Fmax, MHz"))
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 300, 70, 50, 40
BLUE, RED = "#1f5fa8", "#b03030"


def csv_text(param, points):
    names = ["logic_um2", "sram_um2", "area_mm2", "fmax_mhz"]
    return "\n".join([",".join([param] + names)] + [",".join([str(p["value"])] + [f"{p[n]:.6g}" for n in names]) for p in points]) + "\n"


def panel(points, label, axis, x0, mark=None):
    """points: (x, y, text below); those without y are left out. mark: (x, text) of a vertical line."""
    points = [p for p in points if p[1] is not None]
    if not points:
        return [f'<text x="{x0 + LEFT}" y="{TOP - 14}">{label}: none</text>']
    across = [p[0] for p in points] + ([mark[0]] if mark else [])
    low, span, top = min(across), (max(across) - min(across)) or 1, max(p[1] for p in points) * 1.1 or 1.0
    x = lambda v: x0 + LEFT + (WIDTH - LEFT - 20) * (v - low) / span
    y = lambda v: HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * v / top
    parts = []
    for i in range(5):
        v = top * i / 4
        parts.append(f'<line x1="{x0 + LEFT}" x2="{x0 + WIDTH - 20}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x0 + LEFT - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>')
    if mark:
        parts.append(f'<line x1="{x(mark[0]):.1f}" x2="{x(mark[0]):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="{RED}" stroke-dasharray="4"/>')
        parts.append(f'<text x="{x(mark[0]):.1f}" y="{TOP - 2}" text-anchor="middle" fill="{RED}">{mark[1]}</text>')
    parts.append(f'<polyline fill="none" stroke="{BLUE}" stroke-width="2" points="{" ".join(f"{x(p[0]):.1f},{y(p[1]):.1f}" for p in points)}"/>')
    every, last = max(1, -(-len(points) // 8)), len(points) - 1  # not more texts than there is room for
    for i, (across, up, text) in enumerate(points):
        parts.append(f'<circle cx="{x(across):.1f}" cy="{y(up):.1f}" r="3" fill="{BLUE}"/>')
        if i % every == 0 or i == last:
            parts.append(f'<text x="{x(across):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{text}</text>')
    parts.append(f'<text x="{x0 + WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{axis}</text>')
    parts.append(f'<text x="{x0 + LEFT}" y="{TOP - 14}">{label}</text>')
    return parts


def document(title, panels):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(panels) * WIDTH}" height="{HEIGHT + 20}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="{HEIGHT + 12}">{title}</text>']
    return "\n".join(parts + [line for lines in panels for line in lines] + ["</svg>", ""])


def svg_text(title, param, points):
    """Area and Fmax over the values of a parameter."""
    return document(title, [panel([(p["value"], p[key], str(p["value"])) for p in points], label, param, i * WIDTH)
                            for i, (key, label) in enumerate(PANELS)])


def panels_text(title, texts, points, figures):
    """Each figure over the points in their order."""
    return document(title, [panel([(n, p[key], text) for n, (p, text) in enumerate(zip(points, texts))], label, "commit", i * WIDTH)
                            for i, (key, label) in enumerate(figures)])


def speed_text(title, points, clock_mhz, node_nm):
    """Area over Fmax at the node, with the contract's clock as a line."""
    line = [(p["scaled_fmax_mhz"], p["area_mm2"], f"{p['scaled_fmax_mhz']:.0f}") for p in sorted(points, key=lambda p: p["scaled_fmax_mhz"])]
    return document(title, [panel(line, "area, mm2", f"Fmax, MHz at {node_nm} nm", 0, (clock_mhz, f"clock {clock_mhz:.0f}"))])
