// The page of scenarios: the lines of data are those of html.go.
(function () {
  const scenarios = new Map(), runs = [], charts = new Map();
  let totals = null;
  const chartBegins = /^\{"kind":"chart","run":(\d+),/;
  for (const line of dataLines()) {
    const chart = chartBegins.exec(line.slice(0, 60));
    if (chart) { charts.set(+chart[1], line); continue; } // read when it is looked at
    const one = JSON.parse(line);
    if (one.kind === "scenario") scenarios.set(one.id, one);
    else if (one.kind === "run") runs.push(one);
    else totals = one;
  }
  for (const r of runs) {
    const sc = r.of = scenarios.get(r.scenario);
    r.text = [sc.feature, sc.name, `${sc.path}:${sc.line}`, ...(sc.tags || []), ...(sc.about || []), ...sc.steps.map(s => s.text), `seed ${r.seed}`, r.error || ""].join("\n").toLowerCase();
  }
  const seeds = new Set(runs.map(r => r.seed)).size > 1;
  const count = status => runs.filter(r => r.status === status).length;

  // ---- the head
  const verdict = totals.failed ? `${totals.failed} of ${totals.runs} failed` : `all ${totals.runs - totals.skipped} passed` + (totals.skipped ? `, ${totals.skipped} skipped` : "");
  document.title = `${verdict} – scenarios`;
  const search = el("input", { type: "search", placeholder: "search names, steps, tags, errors, file:line (press /)", "aria-label": "search" });
  const order = el("select", { "aria-label": "order" }, el("option", { value: "file" }, "in the order of the files"), el("option", { value: "failed" }, "failures first"), el("option", { value: "long" }, "longest first"));
  const statuses = ["", "failed", "passed", "skipped"].filter(s => s === "" || count(s));
  let status = "";
  const chips = statuses.map(s => el("button", { type: "button", "aria-pressed": String(s === ""), onclick: () => { status = s; chips.forEach((c, i) => c.setAttribute("aria-pressed", String(statuses[i] === s))); filter(); } }, s === "" ? `all ${runs.length}` : `${s} ${count(s)}`));
  const counted = el("span", { class: "count", role: "status" }), list = el("div");
  document.getElementById("page").replaceChildren(
    el("header", { class: "head" }, el("h1", {}, "Scenarios"),
      el("span", { class: "verdict " + (totals.failed ? "bad" : "good") }, verdict),
      el("span", { class: "totals" }, `${totals.steps} steps, ${span(totals.virtual_ns)} of virtual time, trace `, el("code", {}, totals.trace),
        totals.not_listed ? `; ${totals.not_listed} more that passed are not listed` : "", totals.remark ? `; ${totals.remark}` : "")),
    el("div", { class: "tools" }, search, ...chips, order, counted), list);

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
    counted.textContent = found.length === runs.length ? "" : `${found.length} of ${runs.length}`;
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

  // ---- what a person does
  search.addEventListener("input", filter);
  order.addEventListener("change", filter);
  document.addEventListener("keydown", e => { if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) { e.preventDefault(); search.focus(); } });
  const wanted = decodeURIComponent(location.hash.slice(1));
  const linked = runs.find(r => anchor(r) === wanted);
  if (linked) { linked.open = true; search.value = `${linked.of.path}:${linked.of.line}` + (seeds ? ` seed ${linked.seed}` : ""); }
  if (!linked && totals.failed) { order.value = "failed"; const first = runs.find(r => r.status === "failed"); if (first) first.open = true; }
  filter();
})();
