// The page of a run: its numbers, what pods did, and how it went over time.
{
  const data = {};
  for (const line of dataLines()) { const one = JSON.parse(line); data[one.kind] = one; }
  const r = data.report.report, l = r.load, page = document.getElementById("page");
  const seconds = s => tickText(s * 1e9), per = v => plain(v) + "/s", perBytes = v => bytesText(v) + "/s";
  const tile = (value, text, kind) => el("div", { class: "tile " + (kind || "") }, el("b", {}, value), el("span", {}, text));
  page.append(el("h1", {}, r.conf), el("p", { class: "hint" },
    `${r.shards} shards × ${r.replicas} replicas, agent version ${r.agent_version}, ${r.zookeeper}, ${r.model_server}, quirks ${r.quirks}, seed ${r.seed}, ${seconds(r.virtual_s)} of virtual time, trace ${r.trace}`));
  if (r.failure) page.append(el("p", { class: "tile bad" }, "the run broke off: " + r.failure));

  const slowest = (r.rollouts || []).reduce((a, b) => !a || b.took_s > a.took_s ? b : a, null);
  const memory = Math.max(0, ...l.memory.map(m => m.peak_bytes)), failed = (r.acts || []).filter(a => a.error).length;
  page.append(el("div", { class: "tiles" },
    tile((r.unavailable || []).length || "all", (r.unavailable || []).length ? "not available at the end" : "models available at the end", (r.unavailable || []).length ? "bad" : "good"),
    (r.unlisted || []).length ? tile(r.unlisted.length, "served, but not in the service map", "bad") : "",
    slowest ? tile(seconds(+slowest.took_s.toFixed(3)), `slowest roll-out: ${slowest.model}, ${slowest.pods} of ${slowest.of} pods`, slowest.pods < slowest.of ? "warn" : "") : "",
    tile(plain(l.watches.most), "watches held at most"), tile(per(l.requests_per_s), "requests to ZooKeeper, mean"),
    tile(plain(l.peak_requests_in_1s), `requests in the busiest second, from ${seconds(l.peak_at_s)}`),
    tile(perBytes(l.bytes_out_per_s), "sent by ZooKeeper, mean"), tile(plain(l.znodes.most), "znodes at most"),
    tile(bytesText(memory), "most memory of a model server"),
    failed ? tile(failed, "acts failed", "bad") : ""));

  const events = (r.acts || []).map(a => ({ x: a.at_s, until: a.until_s, text: a.what })); // a fault that lasts has an until
  const column = name => { const i = data.samples.columns.indexOf(name); return data.samples.rows.map(row => [row[0], row[i]]); };
  const x = { label: "virtual time", format: seconds, base: 60 };
  const plots = el("div", { class: "plots" });
  page.append(plots);

  const bars = data.bars.bars || [], pods = new Map();
  for (const b of bars) {
    if (!pods.has(b.pod)) pods.set(b.pod, { name: b.pod, bars: [] });
    pods.get(b.pod).bars.push({ from: b.from_s, until: b.until_s, kind: b.what, model: b.model, label: `${b.model ? b.model + " " : ""}${b.what} ${seconds(b.from_s)} to ${seconds(b.until_s)}` });
  }
  const order = n => (n.match(/\d+/g) || []).map(Number);
  const rows = [...pods.values()].sort((a, b) => { const p = order(a.name), q = order(b.name); return p[0] - q[0] || p[1] - q[1]; });
  const between = (from, until, of = () => true) => rows.map(p => ({ name: p.name, bars: p.bars.filter(b => b.until > from && b.from < until && of(b))
    .sort((a, b) => (a.kind === "loading") - (b.kind === "loading")).map(b => Object.assign({}, b, { from: Math.max(b.from, from), until: Math.min(b.until, until) })) }));
  const lanes = (title, note, from, until, of) => lanePlot(plots, { title, note, begin: from, end: until, format: s => seconds(+s.toFixed(1)), rows: between(from, until, of) });
  if (rows.length) {
    // The start is looked at until each pod has served once, and half as long again.
    const served = rows.map(p => p.bars.filter(b => b.kind === "available").map(b => b.from)).filter(list => list.length).map(list => Math.min(...list));
    const first = Math.min(r.virtual_s, 1.5 * Math.max(20, ...served));
    lanes("Start-up of each pod", `the first ${seconds(+first.toFixed(1))}: agents until their model servers serve, then loads`, 0, first);
    const late = (r.rollouts || []).filter(o => o.since_s > first).sort((a, b) => b.since_s - a.since_s);
    for (const o of late.slice(0, 3)) {
      const until = Math.min(r.virtual_s, o.since_s + Math.max(2, 1.4 * o.took_s));
      lanes(`Roll-out of ${o.model}`, `from ${seconds(o.since_s)}: ${o.pods} of ${o.of} pods in ${seconds(+o.took_s.toFixed(3))}`, o.since_s, until, b => b.model === o.model);
    }
    if (r.virtual_s > first * 1.2) lanes("Each pod over the whole run", "loads and what is served", 0, r.virtual_s);
  }
  linePlot(plots, { title: "Requests to ZooKeeper", note: "by pods, pings apart; a second", x, y: { label: "requests/s", format: plain }, events,
    series: [{ name: "requests", points: column("requests_per_s") }, { name: "notifications", points: column("notifications_per_s") }, { name: "the operator's", points: column("operator_requests_per_s") }] });
  linePlot(plots, { title: "Bytes to and from ZooKeeper", x, y: { label: "a second", format: bytesText, base: 1024 }, events,
    series: [{ name: "sent by it", points: column("bytes_out_per_s") }, { name: "received", points: column("bytes_in_per_s") }] });
  linePlot(plots, { title: "What ZooKeeper holds", x, y: { label: "watches, znodes, connections", format: plain }, events,
    series: [{ name: "data watches", points: column("data_watches") }, { name: "child watches", points: column("child_watches") }, { name: "znodes", points: column("znodes") }, { name: "connections", points: column("connections") }, { name: "sessions", points: column("sessions") }] });
  linePlot(plots, { title: "What is served", x, y: { label: "models of pods", format: plain }, events,
    series: [{ name: "available", points: column("available") }, { name: "pods that run", points: column("pods") }] });
  const servers = l.memory.slice().sort((a, b) => b.peak_bytes - a.peak_bytes).slice(0, 8);
  linePlot(plots, { title: "Memory of model servers", note: l.memory.length > 8 ? `the 8 largest of ${l.memory.length}` : undefined, x, y: { label: "resident", format: bytesText, base: 1024 }, events,
    series: servers.map(m => ({ name: (m.pod + " " + (m.kind || "")).trim(), step: true, points: (m.steps || []).map(s => [s.at_s, s.bytes]).concat([[r.virtual_s, m.steps && m.steps.length ? m.steps[m.steps.length - 1].bytes : 0]]) })) });
  const top = (of, n = 12) => Object.entries(of || {}).sort((a, b) => b[1] - a[1]).slice(0, n).map(([name, v]) => ({ name, parts: [{ name: "requests/s", value: v }] }));
  barPlot(plots, { title: "Requests by operation", x: { label: "a second", format: plain }, rows: top(l.requests_per_s_by_operation) });
  barPlot(plots, { title: "Requests by path", x: { label: "a second", format: plain }, rows: top(l.requests_per_s_by_path) });
  barPlot(plots, { title: "Requests by pod", note: Object.keys(l.requests_per_s_by_pod || {}).length > 12 ? "the 12 that ask most" : undefined, x: { label: "a second", format: plain }, rows: top(l.requests_per_s_by_pod) });

  const table = (title, head, list) => list && list.length ? page.append(el("h2", {}, title), el("table", { class: "facts" },
    el("tr", {}, ...head.map(h => el("th", {}, h))), ...list.map(cells => el("tr", {}, ...cells.map(c => el("td", {}, String(c))))))) : 0;
  table("Roll-outs", ["version", "since", "first pod", "last pod", "took", "pods"], (r.rollouts || []).map(o => [o.model, ...[o.since_s, o.first_available_s, o.last_available_s].map(t => stamp(t * 1e9)), seconds(+o.took_s.toFixed(3)), `${o.pods} of ${o.of}`]));
  table("What was done", ["at", "what", "outcome"], (r.acts || []).map(a => [seconds(a.at_s), a.what, a.error ? "failed: " + a.error : a.until_s ? `over at ${seconds(a.until_s)}` : "done"]));
  table("Start-up", ["step", "first", "last", "pods"], (r.startup || []).map(s => [s.what, seconds(s.first_s), seconds(s.last_s), s.pods]));
  table("Not available at the end", ["what"], (r.unavailable || []).slice(0, 50).map(u => [u]));
  table("Served at the end, but not in the service map", ["what"], (r.unlisted || []).slice(0, 50).map(u => [u]));
  table("Errors", ["at", "pods", "times", "text"], (r.errors || []).map(e => [seconds(e.first_s), e.pods, e.times, e.text]));
}
