# SPDX-License-Identifier: Apache-2.0
"""A sweep as CSV and as an SVG with two panels."""
PANELS = (("area_mm2", "area, mm2"), ("fmax_mhz", "Fmax, MHz"))
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 300, 70, 50, 40


def csv_text(param, points):
    names = ["logic_um2", "sram_um2", "area_mm2", "fmax_mhz"]
    return "\n".join([",".join([param] + names)] + [",".join([str(p["value"])] + [f"{p[n]:.6g}" for n in names]) for p in points]) + "\n"


def panel(points, key, label, param, x0):
    values, top = [p["value"] for p in points], max(p[key] for p in points) * 1.1 or 1.0
    low, span = min(values), (max(values) - min(values)) or 1
    x = lambda v: x0 + LEFT + (WIDTH - LEFT - 20) * (v - low) / span
    y = lambda v: HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * v / top
    line = " ".join(f"{x(p['value']):.1f},{y(p[key]):.1f}" for p in points)
    parts = [f'<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="{line}"/>']
    for p in points:
        parts.append(f'<circle cx="{x(p["value"]):.1f}" cy="{y(p[key]):.1f}" r="3" fill="#1f5fa8"/>')
        parts.append(f'<text x="{x(p["value"]):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{p["value"]}</text>')
    for i in range(5):
        v = top * i / 4
        parts.append(f'<line x1="{x0 + LEFT}" x2="{x0 + WIDTH - 20}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x0 + LEFT - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>')
    parts.append(f'<text x="{x0 + WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{param}</text>')
    parts.append(f'<text x="{x0 + LEFT}" y="{TOP - 14}">{label}</text>')
    return parts


def svg_text(title, param, points):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{HEIGHT + 20}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="{HEIGHT + 12}">{title}</text>']
    for i, (key, label) in enumerate(PANELS):
        parts += panel(points, key, label, param, i * WIDTH)
    return "\n".join(parts + ["</svg>", ""])
