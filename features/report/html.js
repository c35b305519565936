// The page of scenarios: the lines of data are those of html.go.
(function () {
  const scenarios = new Map(), runs = [], rounds = [], charts = new Map();
  let totals = null;
  const chartBegins = /^\{"kind":"chart","run":(\d+),/;
  for (const line of dataLines()) {
    const chart = chartBegins.exec(line.slice(0, 60));
    if (chart) { charts.set(+chart[1], line); continue; } // read when it is looked at
    const one = JSON.parse(line);
    if (one.kind === "scenario") scenarios.set(one.id, one);
    else if (one.kind === "run") runs.push(one);
    else if (one.kind === "round") rounds.push(one);
    else totals = one;
  }
  for (const r of runs) {
    const sc = r.of = scenarios.get(r.scenario);
    r.text = [sc.feature, sc.name, `${sc.path}:${sc.line}`, ...(sc.tags || []), ...(sc.about || []), ...sc.steps.map(s => s.text), `seed ${r.seed}`, r.error || ""].join("\n").toLowerCase();
  }
  const seeds = rounds.length > 1;

  // ---- the head
  const verdict = totals.failed ? `${totals.failed} of ${totals.runs} failed` : `all ${totals.runs - totals.skipped} passed` + (totals.skipped ? `, ${totals.skipped} skipped` : "");
  document.title = `${verdict} – scenarios`;
  const search = el("input", { type: "search", placeholder: "search names, steps, tags, errors, file:line (press /)", "aria-label": "search" });
  const order = el("select", { "aria-label": "order" }, el("option", { value: "file" }, "in the order of the files"), el("option", { value: "failed" }, "failures first"), el("option", { value: "long" }, "longest first"));
  const statuses = ["", "failed", "passed", "skipped"].filter(s => s === "" || totals[s]);
  let status = "";
  const chips = statuses.map(s => el("button", { type: "button", "aria-pressed": String(s === ""), onclick: () => { status = s; chips.forEach((c, i) => c.setAttribute("aria-pressed", String(statuses[i] === s))); filter(); } }, s === "" ? `all ${totals.runs}` : `${s} ${totals[s]}`));
  const counted = el("span", { class: "count", role: "status" }), list = el("div"), strips = el("div", { class: "strips" }), picked = el("div", { class: "picked", role: "status" });
  document.getElementById("page").replaceChildren(
    el("header", { class: "head" }, el("h1", {}, "Scenarios"),
      el("span", { class: "verdict " + (totals.failed ? "bad" : "good") }, verdict),
      el("span", { class: "totals" }, `${totals.steps} steps, ${span(totals.virtual_ns)} of virtual time, trace `, el("code", {}, totals.trace),
        totals.not_listed ? `; ${totals.not_listed} of the runs are in the strips only` : "", totals.remark ? `; ${totals.remark}` : "")),
    el("div", { class: "tools" }, search, ...chips, order, counted),
    ...(seeds ? [el("h2", { class: "feature" }, "Seeds", el("small", {}, `${rounds[0].seed} to ${rounds[rounds.length - 1].seed}: a row for each scenario, a cell for each seed; those with failures first`)), strips, picked] : []),
    list);

  // ---- the list
  const fill = lazyList(list, item => item.feature ? heading(item) : row(item));
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = runs.filter(r => (!status || r.status === status) && words.every(w => r.text.includes(w)));
    if (order.value === "long") found.sort((a, b) => b.virtual_ns - a.virtual_ns);
    if (order.value === "failed") found.sort((a, b) => (b.status === "failed") - (a.status === "failed") || a.id - b.id);
    const items = [];
    let path = null;
    found.forEach((r, i) => {
      if (r.of.path !== path) { path = r.of.path; items.push({ feature: r.of.feature, path }); }
      items.push({ run: r, last: i + 1 === found.length || found[i + 1].of.path !== path });
    });
    counted.textContent = found.length === totals.runs ? "" : `${found.length} of ${totals.runs} listed`;
    if (seeds) fillStrips(rowsOfSeeds.filter(s => (!status || (status === "passed" ? s.ran > s.failed.length + s.skipped.length : s[status].length)) && words.every(w => s.text.includes(w))));
    fill(items);
    if (!found.length) list.prepend(el("p", { class: "none" }, "Nothing has all of that."));
  }
  const heading = f => el("h2", { class: "feature" }, f.feature, el("small", {}, f.path));

  const signs = { passed: "✓", failed: "✗", skipped: "–" };
  const anchor = r => `${r.of.path}:${r.of.line}:${r.seed}`;
  function row({ run: r, last }) {
    const sc = r.of;
    const d = el("details", { class: `run ${r.status}` + (last ? " last" : ""), id: anchor(r) },
      // The address leads back to what a person has opened; of what the page opens itself it
      // would make the browser scroll there.
      el("summary", { onclick: () => history.replaceState(null, "", "#" + encodeURIComponent(anchor(r))) }, el("span", { class: "sign " + r.status, title: r.status }, signs[r.status]),
        el("span", {}, sc.name, r.error ? el("span", { class: "why" }, r.error.split("\n")[0]) : ""),
        el("span", { class: "tags" }, ...(sc.tags || []).map(t => el("span", { class: "tag" }, t))),
        el("span", { class: "num seed" }, seeds || r.status === "failed" ? `seed ${r.seed}` : `line ${sc.line}`),
        el("span", { class: "num", title: "virtual time" }, span(r.virtual_ns))));
    d.addEventListener("toggle", () => {
      if (d.open && d.children.length === 1) { const body = el("div", { class: "body" }); d.append(body); detail(body, r); }
    });
    if (r.open) d.open = true;
    return d;
  }

  // detail shows all of a run. The chart needs the element to be in the page.
  function detail(body, r) {
    const sc = r.of, failed = (r.steps || []).indexOf("failed");
    const longest = Math.max(...r.took_ns, 1);
    const chart = charts.has(r.id) ? JSON.parse(charts.get(r.id)).chart : null;
    let drawn = null;
    const bars = chart ? (chart.lanes.find(l => l.name === "scenario") || { rows: [] }).rows.flatMap(row => row.bars) : [];
    const barOf = stepBars(sc, bars);
    const rows = sc.steps.map((s, i) => {
      const how = r.steps ? r.steps[i] : "passed", bar = barOf[i];
      return el("tr", { class: how + (bar ? " seek" : ""), title: bar ? "show this step in the timeline" : undefined, onclick: bar ? () => { const pad = Math.max((bar.until - bar.from) * 0.05, chart.end_ns * 0.01); drawn.show(bar.from - pad, bar.until + pad); drawn.hold(bar.until); } : undefined },
        el("td", { class: "sign " + how }, signs[how]), el("td", { class: "kw" }, s.keyword), el("td", { class: "text" }, s.text),
        el("td", { class: "share" }, r.took_ns[i] ? el("i", { style: `width:${Math.max(100 * r.took_ns[i] / longest, 1)}%` }) : ""),
        el("td", { class: "num" }, r.took_ns[i] ? span(r.took_ns[i]) : ""));
    });
    const copy = el("button", { type: "button", onclick: async () => { try { await navigator.clipboard.writeText(r.replay); copy.textContent = "copied"; } catch { copy.textContent = "select and copy"; } } }, "copy");
    body.append(
      el("p", { class: "where" }, `${sc.path}:${sc.line}, seed ${r.seed}, ${r.events} events, trace ${r.trace}`),
      el("table", { class: "steps" }, el("tbody", {}, ...rows)),
      ...(r.error ? [el("pre", { class: "error" }, r.error)] : []),
      ...(r.explanation ? [el("h3", {}, "What led to it"), el("pre", {}, r.explanation.map((line, i) => (i ? "  " : "") + line).join("\n"))] : []),
      ...(sc.about ? [el("h3", {}, "About"), el("ul", { class: "about" }, ...sc.about.map(a => el("li", {}, a)))] : []),
      el("h3", {}, "Replay"), el("div", { class: "replay" }, el("pre", {}, r.replay), copy));
    if (chart) {
      const place = el("div");
      body.append(el("h3", {}, "Timeline"), place);
      drawn = drawChart(place, chart, { failedStep: failed >= 0 ? bars.length - 1 : -1 });
    } else if (r.status === "failed") {
      body.append(el("p", { class: "none" }, "No timeline: of failures of one kind the first has one, and no more than twenty kinds have. The command above makes one of this run."));
    }
  }

  // stepBars finds the bar of each step: the steps that build the cluster have none.
  function stepBars(sc, bars) {
    const result = [];
    let k = bars.length - 1;
    const last = sc.steps.map(s => s.text);
    // from the last said step backwards, as several steps may say the same
    let i = last.length - 1;
    while (i >= 0 && k >= 0 && last[i] !== bars[k].label) i--;
    for (; i >= 0 && k >= 0 && last[i] === bars[k].label; i--, k--) result[i] = bars[k];
    return result;
  }

  // ---- the strips
  const rowsOfSeeds = [...scenarios.values()].map(sc => ({ sc, failed: [], skipped: [], ran: rounds.length - (seeds && rounds[rounds.length - 1].ran < sc.id ? 1 : 0), text: [sc.feature, sc.name, `${sc.path}:${sc.line}`, ...(sc.tags || [])].join("\n").toLowerCase() }));
  rounds.forEach((r, i) => { for (const of of ["failed", "skipped"]) for (const id of r[of] || []) rowsOfSeeds[id - 1][of].push(i); });
  rowsOfSeeds.sort((a, b) => b.failed.length - a.failed.length || a.sc.id - b.sc.id);
  const fillStrips = lazyList(strips, stripRow);
  const drawn = new Map(), BAND = 12; // strips by their canvases; pixels
  const redrawStrips = () => { for (const [canvas, s] of drawn) if (canvas.isConnected) drawStrip(canvas, s); else drawn.delete(canvas); };
  let stripsWidth = 0;
  new ResizeObserver(() => { if (strips.clientWidth !== stripsWidth) { stripsWidth = strips.clientWidth; redrawStrips(); } }).observe(strips);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawStrips);

  const cellWidth = canvas => Math.min(canvas.clientWidth / rounds.length, BAND);
  function drawStrip(canvas, s) {
    drawn.set(canvas, s);
    const by = devicePixelRatio || 1, wide = cellWidth(canvas), g = canvas.getContext("2d"), style = getComputedStyle(canvas);
    canvas.width = Math.max(canvas.clientWidth * by, 1); canvas.height = BAND * by;
    g.scale(by, by);
    const cells = (list, colour, least) => {
      g.fillStyle = style.getPropertyValue(colour);
      for (const i of list) { g.clearRect(i * wide, 0, Math.max(wide, least), BAND); g.fillRect(i * wide, 0, Math.max(wide >= 4 ? wide - 1 : wide, least), BAND); }
    };
    g.globalAlpha = .45;
    if (wide >= 4) cells(Array(s.ran).keys(), "--good", 0);
    else { g.fillStyle = style.getPropertyValue("--good"); g.fillRect(0, 0, s.ran * wide, BAND); }
    g.globalAlpha = 1;
    cells(s.skipped, "--warn", 1);
    cells(s.failed, "--bad", 2); // wide enough to be seen, however many seeds there are
  }

  function stripRow(s) {
    const canvas = el("canvas", { class: "strip-cells", title: "a cell for each seed; click on one" });
    const at = e => {
      const x = e.clientX - canvas.getBoundingClientRect().left, wide = cellWidth(canvas), i = Math.min(Math.floor(x / wide), s.ran - 1);
      return s.failed.find(k => Math.abs((k + .5) * wide - x) <= Math.max(wide / 2, 3)) ?? i;
    };
    canvas.addEventListener("click", e => { e.preventDefault(); pick(s, at(e)); });
    canvas.addEventListener("pointermove", e => { const i = at(e); canvas.title = `seed ${rounds[i].seed} ${became(s, i)}`; });
    const row = el("details", { class: "strip" + (s.failed.length ? " failed" : "") },
      el("summary", {}, el("span", { class: "strip-name", title: `${s.sc.name}\n${s.sc.path}:${s.sc.line}` }, s.sc.name), canvas,
        el("span", { class: "num" }, s.failed.length ? `${s.failed.length} of ${s.ran} failed` : s.skipped.length ? `${s.skipped.length} of ${s.ran} skipped` : `${s.ran} passed`)));
    row.addEventListener("toggle", () => {
      if (!row.open || row.children.length > 1) return;
      const some = s.failed.slice(0, 200).map(i => el("button", { type: "button", onclick: () => pick(s, i) }, String(rounds[i].seed)));
      row.append(el("div", { class: "strip-seeds" }, el("span", { class: "mono" }, `${s.sc.path}:${s.sc.line}`), some.length ? " failed with " : " failed with no seed", ...some, s.failed.length > some.length ? ` and ${s.failed.length - some.length} more` : ""));
    });
    requestAnimationFrame(() => drawStrip(canvas, s));
    return row;
  }
  const became = (s, i) => s.failed.includes(i) ? "failed" : s.skipped.includes(i) ? "skipped" : "passed";

  // pick shows a run: its entry in the list, or the command that repeats it.
  function pick(s, i) {
    const seed = rounds[i].seed, run = runs.find(r => r.of === s.sc && r.seed === seed);
    picked.replaceChildren();
    if (run) { openRun(run); filter(); list.querySelector("details.run[open]").scrollIntoView({ block: "nearest" }); return; }
    const any = runs.find(r => r.of === s.sc);
    const command = (any ? any.replay : `monosim test ${s.sc.path}:${s.sc.line} --seed 1`).replace(/--seed \d+/, `--seed ${seed}`);
    picked.append(el("p", {}, `${s.sc.name} ${became(s, i)} with seed ${seed}. The page has no more of this run; the command runs it again:`), el("pre", {}, command));
    history.replaceState(null, "", "#" + encodeURIComponent(`${s.sc.path}:${s.sc.line}:${seed}`));
  }
  function openRun(r) {
    r.open = true;
    search.value = `${r.of.path}:${r.of.line}` + (seeds ? ` seed ${r.seed}` : "");
  }

  // ---- what a person does
  search.addEventListener("input", filter);
  order.addEventListener("change", filter);
  document.addEventListener("keydown", e => { if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) { e.preventDefault(); search.focus(); } });
  const wanted = decodeURIComponent(location.hash.slice(1));
  const linked = runs.find(r => anchor(r) === wanted);
  if (linked) openRun(linked);
  if (!linked && totals.failed) { order.value = "failed"; const first = runs.find(r => r.status === "failed"); if (first) first.open = true; }
  filter();
  const unlisted = !linked && seeds && rowsOfSeeds.find(s => wanted.startsWith(`${s.sc.path}:${s.sc.line}:`));
  if (unlisted) { const i = rounds.findIndex(r => wanted.endsWith(`:${r.seed}`)); if (i >= 0) pick(unlisted, i); }
})();
