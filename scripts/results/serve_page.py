# SPDX-License-Identifier: Apache-2.0
"""The page of `cowarp serve`: it asks for the state each second, and draws it. Names come from others' command lines, so they are text, and never HTML."""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>cowarp: what runs</title><style>
body{margin:0 auto;max-width:72rem;padding:0 1rem 3rem;font:15px/1.5 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:1.3rem}section{border-top:1px solid #8885;padding:.7rem 0}h2{font:600 1rem/1.4 ui-monospace,monospace;margin:.2rem 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}td,th{padding:.15rem .6rem .15rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}th{font-weight:600}
progress{width:100%}.soft{opacity:.7}.bad{color:#a3261c}button{font:inherit}
</style></head><body><h1>What runs</h1><p id="about" class="soft" role="status">asks ...</p><main id="all"></main><script>
"use strict";
const token = new URLSearchParams(location.search).get("token");
const ask = (path, how) => fetch(path + (path.includes("?") ? "&" : "?") + "token=" + encodeURIComponent(token), how);
const make = (name, text, kind) => { const e = document.createElement(name); if (text !== undefined) e.textContent = text; if (kind) e.className = kind; return e; };
const line = (table, cells, head) => { const tr = table.appendChild(make("tr")); for (const c of cells) tr.appendChild(c instanceof Node ? c : make(head ? "th" : "td", c, typeof c === "string" && /^[0-9.,]+/.test(c) ? "n" : "")); return tr; };
const clock = s => s === null ? "" : s < 100 ? Math.round(s) + " s" : s < 6000 ? Math.round(s / 60) + " min" : (s / 3600).toFixed(1) + " h";
const count = n => Number(n).toLocaleString("en-US");
const cell = e => { const td = make("td"); td.appendChild(e); return td; };

function waits(run) {
    const slots = Object.entries(run.counters).filter(([name, n]) => name.startsWith("issue_") && n > 0);
    const all = slots.reduce((sum, [, n]) => sum + n, 0);
    return slots.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, n]) => name.slice(6) + " " + Math.round(100 * n / all) + " %").join(", ");
}

function counters(run) {
    const box = make("details"), table = make("table");
    box.appendChild(make("summary", "counters"));
    for (const [name, n] of Object.entries(run.counters).filter(([, n]) => n > 0)) line(table, [name, count(n)]);
    box.appendChild(table);
    return box;
}

function command(c) {
    const box = make("section"), bar = make("progress"), table = make("table");
    box.appendChild(make("h2", c.command.join(" ")));
    bar.max = c.total; bar.value = c.done;
    box.appendChild(bar);
    const waiting = c.total - c.done - c.running.length;
    const said = c.alive ? c.done + " of " + c.total + " " + c.what + ", " + c.running.length + " run, " + waiting + " wait" + (c.left_seconds === null ? "" : ", " + clock(c.left_seconds) + " left") : "ended after " + c.done + " of " + c.total + " " + c.what;
    const p = box.appendChild(make("p", said + (c.failed ? "; " + c.failed + " failed " : " "), "soft"));
    if (c.alive) { const b = make("button", "Stop"); b.onclick = () => ask("/stop?id=" + c.id, { method: "POST" }); p.appendChild(b); }
    if (c.running.length) line(table, ["runs", "", "cycles", "waits for", ""], true);
    for (const job of c.running) {
        const run = job.run;
        line(table, [job.name, run ? count(run.done) + " of " + count(run.total) + " " + run.what : "", run ? count(run.cycles) : "", run ? waits(run) : "", run ? cell(counters(run)) : ""]);
    }
    if (c.ended.length) line(table, ["ended", "seconds", "", "", ""], true);
    for (const job of [...c.ended].reverse()) {
        const link = make("a", "report");
        link.href = "/report?id=" + c.id + "&number=" + job.number + "&token=" + encodeURIComponent(token);
        link.target = "_blank";
        line(table, [job.name, job.seconds.toFixed(1), "", make("td", job.error === null ? "" : job.error, "bad"), job.stats ? cell(link) : ""]);
    }
    box.appendChild(table);
    return box;
}

async function draw() {
    const all = document.getElementById("all"), about = document.getElementById("about");
    try {
        const answer = await ask("/state");
        if (!answer.ok) throw new Error(await answer.text());
        const state = await answer.json();
        const open = new Set([...all.querySelectorAll("details[open]")].map(e => e.dataset.at));
        all.replaceChildren(...state.commands.map(command));
        all.querySelectorAll("details").forEach((e, i) => { e.dataset.at = i; e.open = open.has(String(i)); });
        about.textContent = state.commands.some(c => c.alive) ? "" : "Nothing runs: begin a sweep, a reproduction, a synthesis.";
    } catch (error) { about.textContent = "No answer: " + error.message; }
    setTimeout(draw, 1000);
}
draw();
</script></body></html>
"""
