// The page of a capacity result: the answer, then the plots in the order of CAP-4.3, then
// all that the terminal says, and the inputs.
{
  const data = {};
  for (const line of dataLines()) { const one = JSON.parse(line); data[one.kind] = one.data; }
  const r = data.result, page = document.getElementById("page");
  const list = v => v || [];
  const units = {
    ns: v => Math.abs(v) < 60e9 ? span(+(+v).toPrecision(3)) : span(Math.round(v / 1e9) * 1e9), bytes: bytesText, fraction: v => plain(v * 100) + " %",
    per_second: v => plain(v) + "/s", per_hour: v => plain(v) + "/h",
  };
  const text = (unit, v) => v === null || v === undefined ? "–" : (units[unit] || plain)(v);
  const find = (metric, estimates = r.estimates) => list(estimates).find(e => e.metric === metric && !(e.scope || {}).condition && !(e.scope || {}).model && e.value !== null);
  const money = v => plain(v) + " " + (r.currency || "$") + "/h";

  // (1) the answer
  const outcome = list(r.verdicts).some(v => v.outcome === "FAIL") ? "FAIL" : list(r.verdicts).some(v => v.outcome === "UNDECIDED") ? "UNDECIDED" : list(r.verdicts).length ? "PASS" : "";
  const kind = { PASS: "good", FAIL: "bad", UNDECIDED: "warn" }[outcome] || "";
  const tile = (value, label, kind) => el("div", { class: "tile " + (kind || "") }, el("b", {}, value), el("span", {}, label));
  page.append(el("h1", {}, r.plan), el("p", { class: "hint" }, `monosim whatif ${r.command}, seed ${r.seed}, model version ${r.version}, ${r.architecture}`));
  const tiles = el("div", { class: "tiles" });
  page.append(tiles);
  if (outcome) tiles.append(tile(outcome, `${list(r.verdicts).length} objectives`, kind));
  for (const v of list(r.worlds && r.worlds.verdicts)) tiles.append(tile(`${v.pass} of ${r.worlds.count}`, `worlds: ${v.slo}${v.scope.model ? " of " + v.scope.model : ""}`, { PASS: "good", FAIL: "bad" }[v.outcome] || "warn"));
  for (const s of r.answer ? [] : list(r.sweeps)) {
    const holds = list(s.cells).filter(c => c.outcome === "PASS").length;
    if (list(s.cells).some(c => list(c.verdicts).length || c.outcome === "EXCLUDED")) tiles.append(tile(`${holds} of ${s.cells.length}`, `cells of ${s.name} meet every objective`, holds === s.cells.length ? "good" : "bad"));
  }
  if (r.answer) {
    for (const [path, value] of Object.entries(r.answer.point)) tiles.append(tile(value, path.replace(/^fleet\./, "")));
    tiles.append(tile(money(r.answer.cost), r.answer.proven ? `${r.answer.containers} containers, proven` : `${r.answer.containers} containers, cheapest proven`, r.answer.proven ? "good" : "warn"));
  } else if (list(r.tiers).length) {
    tiles.append(tile(money(list(r.tiers).reduce((n, t) => n + t.cost, 0)), `${list(r.tiers).reduce((n, t) => n + t.containers, 0)} containers`));
  }
  // Of several windows the worst: a goodput is that of the one where most fails.
  const most = (metric, estimates = r.estimates) => list(estimates).filter(e => e === find(metric, [e])).reduce((a, b) => a && a.value >= b.value ? a : b, null);
  const windows = new Set(list(r.estimates).map(e => (e.scope || {}).window)).size;
  const failing = most("errors");
  // Where most fail errors come first, and what is of the rest says so.
  const fails = failing && failing.value > 0.5;
  for (const metric of fails ? ["errors", "goodput", "p99(request)"] : ["p99(request)", "errors", "goodput"]) {
    const e = metric === "goodput" && failing ? list(r.estimates).find(e => e === find(metric, [e]) && e.scope.window === failing.scope.window) : most(metric);
    if (e) tiles.append(tile(text(e.unit, e.value), metric + (failing && failing.value > (metric === "goodput" ? 0.5 : 0.01) && metric !== "errors" ? ` of the ${text("fraction", 1 - failing.value)} that succeed` : "") + (windows > 1 ? ` ${e.scope.window}` : "") + (e.ci ? ` [${text(e.unit, e.ci[0])}, ${text(e.unit, e.ci[1])}] at ${+(e.confidence * 100).toFixed(2)} %` : ""), fails && metric === "errors" ? "bad" : ""));
  }
  for (const t of list(r.tiers)) tiles.append(tile(plain((1 - t.mem_peak / t.mem_limit) * 100) + " %", `memory of ${t.name} that is free in a rollover`, t.mem_peak > t.mem_limit ? "bad" : ""));
  if (r.saturation && r.saturation.state) tiles.append(tile(r.saturation.state, `${r.saturation.tier} is fullest, at ${text("fraction", r.saturation.utilisation)}${r.saturation.held ? " of its threads" : ""}${r.saturation.under ? " under " + r.saturation.under : r.saturation.event ? " from " + r.saturation.event + " on" : ""}`, r.saturation.state === "STABLE" ? "good" : "bad"));

  const plots = el("div", { class: "plots" });
  page.append(plots);
  const ns = { format: v => text("ns", v) };

  // (2) latency against load: sweeps over one path; (3) heat maps: over two
  const p99Of = c => {
    const errors = most("errors", c.estimates); // where many fail the window counts in which most do
    return errors && errors.value > 0.01 ? find("p99(request)", list(c.estimates).filter(e => (e.scope || {}).window === errors.scope.window)) : most("p99(request)", c.estimates);
  };
  const pointText = c => Object.entries(c.point).map(p => p.join(" ")).join(", ");
  const cellText = c => `${pointText(c)}: ${c.outcome} ${p99Of(c) ? "p99 " + text("ns", p99Of(c).value) : c.closed_form ? "closed form of p99 " + text("ns", c.closed_form) : ""} ${c.reason || c.argument || ""}, ${money(c.cost)}`;
  // axis is where the values of a path stand: numbers as they are, words one after another.
  const axis = (cells, path) => {
    const words = [...new Set(cells.map(c => c.point[path]))], numeric = cells.every(c => c.numbers && isFinite(c.numbers[path]));
    const at = c => numeric ? c.numbers[path] : words.indexOf(c.point[path]), names = new Map(cells.map(c => [at(c), c.point[path]]));
    return { at, ticks: names.size <= 12 || !numeric ? [...names.keys()] : undefined, format: v => names.has(v) ? names.get(v) : plain(v), values: [...names.keys()].sort((a, b) => a - b) };
  };
  const limitOf = cells => list(r.verdicts).concat(cells.flatMap(c => list(c.verdicts))).find(v => v.metric === "p99(request)" && !(v.scope || {}).model);
  const limits = limit => limit ? [{ y: limit.limit, text: limit.slo }] : [];
  const overRate = cells => cells.length > 1 && cells.every(c => c.rate > 0) && new Set(cells.map(c => c.rate)).size === cells.length;
  for (const s of list(r.sweeps)) {
    const cells = list(s.cells), limit = limitOf(cells);
    if (s.paths.length === 1) {
      const path = s.paths[0], load = overRate(cells.filter(c => p99Of(c)));
      const x = load ? { at: c => c.rate, label: "requests a second at the peak", format: plain } : Object.assign({ label: path }, axis(cells, path));
      const points = cells.filter(c => p99Of(c)), order = points => points.sort((a, b) => a[0] - b[0]);
      const of = metric => order(cells.map(c => [x.at(c), (most(metric, c.estimates) || {}).value]).filter(p => p[1] !== null && p[1] !== undefined));
      if (points.length) linePlot(plots, {
        title: load ? "Latency over load" : `Latency over ${path}`, note: "the band is the confidence interval of p99" + (s.knee ? `; the knee, where p99 is twice that of the lowest rate, is at ${text("per_second", s.knee)}` : ""),
        x, y: Object.assign({ label: "latency" }, ns), log: true, limits: limits(limit), events: load && s.knee ? [{ x: s.knee, text: "knee" }] : [],
        series: [
          { name: "p99", points: of("p99(request)"), band: order(points.filter(c => p99Of(c).ci).map(c => [x.at(c), ...p99Of(c).ci])) },
          { name: "p50", points: of("p50(request)") }, { name: "mean", points: of("mean(request)") },
          { name: "closed form of p99", dash: true, points: order(cells.filter(c => c.closed_form).map(c => [x.at(c), c.closed_form])) },
        ].filter(x => x.points.length),
      });
    } else if (s.paths.length === 2) grid(s.paths, cells, `p99 over ${s.paths.join(" and ")}`, limit);
  }
  // grid is a map of cells over two paths, coloured by p99, with the contour of what holds and
  // lines of equal cost.
  function grid(paths, cells, title, limit) {
    const [x, y] = paths.map(p => axis(cells, p));
    heatPlot(plots, {
      title, note: [limit ? `the thick line parts what holds ${limit.slo}, and all other objectives, from what does not (red)` : "", "dashed lines have equal cost", "lighter is faster"].filter(t => t).join("; "),
      format: v => text("ns", v), x: { label: paths[0], format: x.format }, y: { label: paths[1], format: y.format }, xs: x.values, ys: y.values,
      contour: c => c.holds, lines: { of: c => c.cost, format: money },
      cells: cells.map(c => ({ x: x.at(c), y: y.at(c), value: p99Of(c) ? p99Of(c).value : c.closed_form || 0, bad: c.outcome !== "PASS" && c.outcome !== "UNDECIDED", holds: c.outcome === "PASS", cost: c.cost,
        short: { utilisation: "full", "latency bound": "too slow" }[c.argument] || (c.argument || c.outcome || "").slice(0, 9), text: cellText(c) })),
    });
  }
  // (2) of a plan that is not swept: the closed form, and what was simulated
  const curve = r.load_curve, swept = list(r.sweeps).some(s => s.paths.length === 1 && overRate(list(s.cells).filter(c => p99Of(c))));
  if (curve && list(curve.points).length > 1 && !swept) {
    const e = most("p99(request)"), limit = limitOf([]);
    linePlot(plots, {
      title: "Latency over load", note: `closed form of p99${e ? ", and what was simulated at the peak" : ""}; ${curve.tier} is full at ${text("per_second", curve.full)}`,
      x: { label: "requests a second", format: plain }, y: Object.assign({ label: "p99" }, ns), log: true, limits: limits(limit), events: [{ x: curve.peak, text: "this plan" }],
      series: [{ name: "p99", points: e ? [[curve.peak, e.value]] : [], band: e && e.ci ? [[curve.peak, ...e.ci]] : [] },
        { name: "closed form of p99", dash: true, points: curve.points.map(p => [p.rate, p.p99]) }].filter(s => s.points.length),
    });
  }
  // (3) the grid of a search
  const all = r.certificate ? list(r.certificate.all_cells) : [];
  if (all.length && Object.keys(all[0].point).length >= 2) {
    const answer = r.answer ? [{ point: r.answer.point, numbers: r.answer.numbers, cost: r.answer.cost, outcome: "PASS", estimates: r.estimates, argument: "the answer" }] : [];
    const paths = Object.keys(all[0].point).sort().slice(0, 2), best = new Map(), rank = { PASS: 3, UNDECIDED: 2, FAIL: 1, EXCLUDED: 0 };
    for (const c of answer.concat(all)) {
      const key = paths.map(p => c.point[p]).join("/");
      if (!best.has(key) || (rank[c.outcome] || 0) > (rank[best.get(key).outcome] || 0)) best.set(key, c);
    }
    grid(paths, [...best.values()], `The grid: p99 over ${paths.join(" and ")}`, limitOf(all));
  }
  const seconds = { label: "time of the horizon", format: v => tickText(v * 1e9), base: 60 };
  // (4) each window in which something happens, step by step, with the middle of the replications
  for (const s of list(r.series)) {
    const events = list(s.marks).map(m => ({ x: m.at / 1e9, text: m.text })), named = key => [...new Set(s.points.flatMap(p => Object.keys(p[key] || {})))];
    const curve = (name, of) => ({ name, points: s.points.filter(p => of(p)).map(p => [p.at / 1e9, of(p).value]), band: s.points.filter(p => of(p)).map(p => [p.at / 1e9, of(p).low, of(p).high]) });
    const over = (title, y, series, more) => linePlot(plots, Object.assign({ title: `${title}, ${s.window}`, x: seconds, y, events, series: series.filter(c => c.points.length), note: "bands have the middle 90 % of the replications" }, more));
    const limit = limitOf([]), tiered = key => named(key).map(name => curve(name, p => p[key][name]));
    over("Errors", { label: "of the requests that come", format: v => text("fraction", v) }, [curve("errors", p => p.errors)], { wide: true });
    over("Latency", Object.assign({ label: "latency" }, ns), [curve("p99", p => p.p99), curve("p50", p => p.p50)], { wide: true, log: true, limits: limits(limit) });
    over("Goodput", { label: "a second", format: plain }, [curve("goodput", p => p.goodput), { name: "offered", dash: true, points: s.points.map(p => [p.at / 1e9, p.offered]) }]);
    over("Cores that work", { label: "cores", format: plain }, tiered("busy_cores"));
    over("Calls that wait", { label: "calls", format: plain }, tiered("waiting"));
    over("Live containers", { label: "containers", format: plain }, tiered("live"));
    over("Memory of the fullest container", { label: "resident", format: bytesText, base: 1024 }, named("mem").map(name => ({ name, step: true, points: s.points.map(p => [p.at / 1e9, p.mem[name]]) })), { note: "" });
    over("Requests to ZooKeeper", { label: "a second", format: plain }, [{ name: "by formula", points: s.points.map(p => [p.at / 1e9, p.zookeeper]) }], { note: "" });
  }
  // (4) the timeline with events
  const line = list(r.timeline);
  if (line.length) {
    const events = line.filter(p => p.event).map(p => ({ x: p.at / 1e9, text: p.event }));
    const named = key => [...new Set(line.flatMap(p => Object.keys(p[key] || {})))];
    linePlot(plots, { wide: true, title: "Requests offered", x: seconds, y: { label: "a second", format: plain }, events, series: [{ name: "offered", points: line.map(p => [p.at / 1e9, p.rate]) }] });
    linePlot(plots, { title: "How full each tier is", x: seconds, y: { label: "of what it can do", format: v => text("fraction", v) }, events, limits: [{ y: 1, text: "full" }],
      series: named("offered").map(name => ({ name, points: line.map(p => [p.at / 1e9, p.offered[name]]) })) });
    linePlot(plots, { title: "Live containers", x: seconds, y: { label: "containers", format: plain }, events, series: named("live").map(name => ({ name, step: true, points: line.map(p => [p.at / 1e9, p.live[name]]) })) });
    for (const s of list(r.autoscalers).filter(s => list(s.steps).length)) linePlot(plots, { title: `What the autoscaler of ${s.tier} asks for`, note: `by ${s.looks_at}, in the first replication`, x: seconds, y: { label: "containers", format: plain }, events,
      series: [{ name: s.tier, step: true, points: [[0, s.begin], ...s.steps.map(p => [p.at / 1e9, p.to]), [line[line.length - 1].at / 1e9, s.steps[s.steps.length - 1].to]] }] });
    linePlot(plots, { title: "Memory of the fullest container", x: seconds, y: { label: "resident", format: bytesText, base: 1024 }, events, series: named("mem").map(name => ({ name, step: true, points: line.map(p => [p.at / 1e9, p.mem[name]]) })) });
    if (line.some(p => p.p99) && !list(r.series).length) linePlot(plots, { title: "p99 in the windows", x: seconds, y: Object.assign({ label: "p99" }, ns), events, series: [{ name: "p99", points: line.filter(p => p.p99).map(p => [p.at / 1e9, p.p99]) }] });
  }
  // (5) roll-outs
  for (const o of list(r.rollouts).filter(o => list(o.curve).length || list(o.shards).length)) {
    const curve = c => list(c).map(p => [p.latency / 1e9, p.fraction]);
    linePlot(plots, { title: `Roll-out of version ${o.version}`, note: `${o.path}: everywhere after ${text("ns", o.to_all)}, closed form ${text("ns", o.closed_form)}, at least ${o.min_serving} of ${o.replicas} replicas serve`,
      x: { label: "since the publish", format: v => tickText(v * 1e9), base: 60 }, y: { label: "of the replicas", format: v => text("fraction", v) },
      series: [{ name: "all", step: true, points: curve(o.curve) }, ...list(o.shards).slice(0, 7).map(s => ({ name: "shard " + s.shard, step: true, points: curve(s.curve) }))].filter(s => s.points.length) });
  }
  // (6) ZooKeeper over sizes, both versions on one chart
  const z = r.zookeeper;
  if (z) {
    const over = (title, note, label, unit, of, limitName) => linePlot(plots, {
      title, note, log: true, x: { label: "containers", log: true, format: plain }, y: { label, format: v => text(unit, v), base: unit === "bytes" ? 1024 : 10 },
      limits: z.curves.slice(0, 1).flatMap(c => c.limits.filter(l => l.name === limitName).map(l => ({ y: l.limit, text: `${l.name}: ${text(l.unit, l.limit)}` }))),
      series: z.curves.map(c => ({ name: "version " + c.agent_version, points: c.points.map(p => [p.load.containers, of(p.load)]) }))
        .concat(list(z.measured).length ? [{ name: "measured", dash: true, points: list(z.measured).filter(m => measuredOf(of, m) > 0).map(m => [m.closed_form.containers, measuredOf(of, m)]).sort((a, b) => a[0] - b[0]) }] : []).filter(s => s.points.length),
    });
    const watches = l => l.watches, readsOf = l => l.reads, peakOf = l => l.peak_second;
    const measuredOf = (of, m) => of === watches ? m.watches : of === readsOf ? m.reads : of === peakOf ? m.peak_second : 0;
    const first = z.curves.map(c => { const l = c.limits.filter(l => l.at_multiple > 0).sort((a, b) => a.at_multiple - b.at_multiple)[0]; return `version ${c.agent_version}: ${l ? `${l.name} at ${plain(l.at_multiple)}× the fleet` : "none up to 1,000×"}`; }).join("; ");
    over("Watches in ZooKeeper over the size of the fleet", "first limits: " + first, "watches", "", watches);
    over("Memory of the watches", undefined, "of the heap", "bytes", l => l.watch_bytes, "watch memory");
    if (z.curves.some(c => c.points.some(p => p.load.reads > 0))) over("Background reads over the size of the fleet", "version 3 reads nothing at rest", "reads a second", "per_second", readsOf, "reads a second");
    over("Requests in the busiest second over the size of the fleet", "loops keep the phases with which agents start", "requests", "", peakOf);
    over("How long the ensemble works on the busiest burst", "at most a period: it is never done with more", "time", "ns", l => l.drain_ns, "drain of the busiest burst");
    over("Longest answer over the size of the fleet", undefined, "bytes", "bytes", l => l.max_reply, "jute.maxbuffer of an answer");
    over("Notifications of a publish", "an upper bound", "notifications", "", l => l.notifications_per_publish);
    for (const m of list(z.measured).filter(m => list(m.rollout).length)) {
      linePlot(plots, { title: `A roll-out by real agents, version ${m.closed_form.agent_version}`, note: `${m.closed_form.containers} containers`, x: { label: "since the export", format: v => tickText(v * 1e9), base: 60 }, y: { label: "containers that serve it", format: plain },
        series: [{ name: "serve it", step: true, points: [[0, 0], ...m.rollout.map((t, i) => [t / 1e9, i + 1])] }] });
    }
  }
  // (7) the distribution, with its tail
  const cdf = list(r.cdf).filter(p => p.fraction < 1);
  if (cdf.length) linePlot(plots, { title: "Requests that take longer", note: "the tail is read downwards: 0.01 is p99", log: true, x: Object.assign({ label: "latency" }, ns), y: { label: "share", format: v => String(+v.toPrecision(2)) },
    series: [{ name: "take longer", points: cdf.map(p => [p.latency, 1 - p.fraction]) }] });
  // (8) where the time goes
  const parts = list(r.breakdown).filter(p => p.share > 0 || p.tail_share > 0);
  if (parts.length) barPlot(plots, { title: "Where the time goes", x: { label: "share", format: v => text("fraction", v) },
    rows: [{ name: "all requests", parts: parts.map(p => ({ name: p.name, value: p.share })) }, { name: "slowest 1 %", parts: parts.map(p => ({ name: p.name, value: p.tail_share })) }] });
  // what came of values that are not known for sure
  for (const e of list(r.worlds && r.worlds.estimates).filter(e => e.metric === "p99(request)" && e.values.length > 1)) {
    const sorted = e.values.slice().sort((a, b) => a - b);
    linePlot(plots, { title: "p99 over the worlds", note: [e.scope.window, e.scope.model].filter(s => s).join(", ") + ": values that are not known for sure, drawn as they are believed", x: Object.assign({ label: "p99(request)" }, ns), y: { label: "share of worlds at or below", format: v => String(+v.toPrecision(2)) },
      series: [{ name: "worlds", step: true, points: sorted.map((v, i) => [v, (i + 1) / sorted.length]) }] });
  }
  // (9) the tornado
  const tornado = list(r.sensitivity).slice().sort((a, b) => Math.abs(b.high - b.low) - Math.abs(a.high - a.low));
  if (tornado.length) rangePlot(plots, { title: "What a change of 10 % does to p99", x: Object.assign({ label: "p99(request)" }, ns), base: tornado[0].base, rows: tornado.map(t => ({ name: t.input, low: t.low, high: t.high })) });
  const pareto = list(r.pareto).map(c => [c.cost, (p99Of(c) || {}).value]).filter(p => p[1]).sort((a, b) => a[0] - b[0]);
  if (pareto.length > 1) linePlot(plots, { title: "Cost against latency", x: { label: "cost", format: money }, y: Object.assign({ label: "p99" }, ns), series: [{ name: "cheapest at that latency", points: pareto }] });
  const residuals = list(r.closed_forms).filter(f => f.residual !== undefined && f.residual !== null && !f.bound);
  if (residuals.length) rangePlot(plots, { title: "Simulated beside the closed form", note: "above 0 the simulation has more", x: { label: "of the closed form", format: v => text("fraction", v) }, base: 0, names: ["less", "more"],
    rows: residuals.map(f => ({ name: f.name, low: Math.min(f.residual, 0), high: Math.max(f.residual, 0) })) });

  for (const b of list(data.blocks)) page.append(el("section", { class: "block" }, el("h2", {}, b.name), ...b.lines.map(l => el("div", {}, l))));
  // (10) all inputs
  const flat = (v, path, to) => {
    if (v !== null && typeof v === "object") for (const [k, x] of Object.entries(v)) flat(x, path ? path + "." + k : k, to);
    else to.push([path, String(v)]);
    return to;
  };
  page.append(el("h2", {}, "Inputs"), el("p", { class: "hint" }, "the plan with all that was filled in, in base units: nanoseconds, bytes, per second"),
    el("details", {}, el("summary", {}, "all inputs"), el("table", { class: "facts" }, ...flat(data.inputs, "", []).map(([k, v]) => el("tr", {}, el("td", {}, k), el("td", {}, v))))),
    el("p", { class: "hint" }, `scenario ${r.scenario_hash}, result ${data.sha256}`));
}
