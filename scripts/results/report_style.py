# SPDX-License-Identifier: Apache-2.0
"""The style sheet of a report: light and dark after the reader's setting, paper, and the keyboard's focus."""

# Parts of a stack (p), the text on them (on), and lines (l), in the same order. Neighbours differ in lightness, so that they differ in grey, too.
LIGHT = ("#1f6f9f", "#f0b35a", "#5d9a63", "#c9dff0", "#a8506b", "#e3cf8e", "#4b4f8f", "#b9dcb6", "#8a8a8a", "#efc7d0", "#2f4858", "#d9d9d9")
DARK = ("#62aedd", "#b97a1f", "#8ccf92", "#2c5876", "#d9849d", "#8f7a2c", "#a2a6ee", "#3e6e42", "#b5b5b5", "#7d3f50", "#c3d6e2", "#555555")


def brightness(colour):
    red, green, blue = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2


def colours(scheme):
    rules = []
    for i, colour in enumerate(scheme):
        ink = "#000" if brightness(colour) > 0.18 else "#fff"
        rules.append(f".p{i}{{fill:{colour};background:{colour}}}.on{i}{{fill:{ink}}}.l{i}{{stroke:{colour}}}.key.l{i}{{background:{colour}}}")
    return "".join(rules)


STYLE = f"""
:root{{--ink:#1c1e21;--soft:#5a6068;--paper:#fff;--panel:#f5f6f7;--rule:#d5d9de;--link:#0b5cad;--bad:#a3261c}}
{colours(LIGHT)}
@media (prefers-color-scheme: dark){{
:root{{--ink:#e7e9ec;--soft:#a2a9b2;--paper:#16181b;--panel:#1f2226;--rule:#393e45;--link:#7db7f2;--bad:#ff8a7d}}
{colours(DARK)}
}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}}
header,main{{max-width:64rem;margin:0 auto;padding:0 1.2rem}}
header{{padding-top:1.6rem;border-bottom:1px solid var(--rule)}}
h1{{font-size:1.45rem;line-height:1.3;margin:0 0 .6rem}}
h2{{font-size:1.15rem;margin:2.2rem 0 .7rem}}
h3{{font-size:.95rem;margin:1.2rem 0 .4rem;color:var(--soft);font-weight:600}}
nav a{{display:inline-block;margin:0 1rem .6rem 0;color:var(--link)}}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{{outline:2px solid var(--link);outline-offset:2px}}
.skip{{position:absolute;left:-999px}}.skip:focus{{left:1rem;top:.4rem;background:var(--paper);padding:.2rem .5rem}}
code{{font:.87em/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}}
.scroll{{overflow-x:auto;margin:.5rem 0 1rem}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}
caption{{text-align:left;color:var(--soft);padding:.2rem 0}}
th,td{{padding:.22rem .8rem .22rem 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}}
thead th{{color:var(--soft);font-weight:600}}tbody th{{font-weight:400}}
td.n,th.n{{text-align:right;white-space:nowrap}}
svg{{display:block;width:100%;max-width:760px;height:auto;margin:.3rem 0 .8rem}}
svg text{{font-size:12px;fill:var(--ink)}}svg .tick{{fill:var(--soft);font-size:11px}}
.grid{{stroke:var(--rule);stroke-width:1}}
rect{{stroke:var(--paper);stroke-width:.6}}
.box{{fill:var(--panel);stroke:var(--rule)}}
polyline{{fill:none;stroke-width:1.8}}
.legend{{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.3rem 0;font-size:.87rem}}
.key{{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px}}
svg.bar{{display:inline;width:auto;margin:0}}.lines code{{white-space:pre}}.hot{{background:var(--panel)}}.hot code{{font-weight:600}}
.none{{color:var(--soft)}}.error{{color:var(--bad);font-weight:600}}
summary{{cursor:pointer;color:var(--link)}}
details{{margin:.6rem 0}}
@media print{{
:root{{--ink:#000;--soft:#333;--paper:#fff;--panel:#fff;--rule:#999;--link:#000;--bad:#000}}
{colours(LIGHT)}
nav,.skip{{display:none}}body{{font-size:10.5pt}}
section,svg,h2,h3{{break-inside:avoid}}h2,h3{{break-after:avoid}}section{{break-inside:auto}}.scroll{{overflow:visible}}
*{{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
}}
"""
