// The page of a job: its numbers, its steps over time, and what processes did.
{
  const data = JSON.parse(dataLines()[0]), r = data.report, w = r.work, page = document.getElementById("page");
  const seconds = s => tickText(+s.toFixed(1) * 1e9), list = of => of || [];
  const tile = (value, text, kind) => el("div", { class: "tile " + (kind || "") }, el("b", {}, value), el("span", {}, text));
  const expected = list(r.expected), bad = list(r.invariants).filter(b => !expected.includes(b.invariant) && (!b.known || b.invariant === "INV-8"));
  const count = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
  page.append(el("h1", {}, r.plan), el("p", { class: "hint" },
    `a chief, ${count(r.workers, "worker")}, ${r.ps} PS, TensorFlow ${r.tensorflow}, quirks ${r.quirks}, seed ${r.seed}, ${seconds(r.virtual_s)} of virtual time, trace ${r.trace}`),
    el("p", { class: "hint" }, `calls of a server that is gone ${r.fail_fast ? "fail at once" : "wait for it"}; a changed cluster is tried ${count(r.max_retries, "more time")}, ${r.retry_wait_s}s after an error`),
    ...list(r.notes).map(note => el("p", { class: "hint" }, note)));
  if (r.failure) page.append(el("p", { class: "tile bad" }, "the run broke off: " + r.failure));
  if (data.wrong) page.append(el("p", { class: "tile bad" }, data.wrong));
  const kept = expected.filter(name => !list(r.invariants).some(b => b.invariant === name));
  const verdict = bad.length ? [bad.map(b => b.invariant).join(", "), "invariants that broke", "bad"] : kept.length ? [kept.join(", "), "invariants that should have broken", "bad"] :
    r.undecided ? ["INV-8", "invariants not decided", "warn"] : [list(r.held).length, "invariants that hold", "good"];
  const failed = list(r.acts).filter(a => a.error).length;
  page.append(el("div", { class: "tiles" },
    tile(plain(r.global_step), "global step at the end"), tile((100 * w.goodput).toFixed(1) + " %", `goodput: ${plain(w.steps_lost)} of ${plain(w.steps_made)} steps lost`, w.goodput < .9 ? "warn" : ""),
    tile(seconds(w.paused_s), "without a step"), tile(seconds(w.saves_s), "workers held by saves"),
    tile(plain(r.deeds.saved || 0), "checkpoints saved"), tile(plain(r.deeds.retry || 0), "tries after errors"), tile(plain(r.deeds.failed || 0), "processes that gave up", r.deeds.failed ? "warn" : ""),
    ...(w.writes_failed ? [tile(w.writes_failed, "writes of checkpoints that failed", "warn")] : []),
    ...(w.evaluation ? [tile(`${w.evaluation.evaluated} of ${w.evaluation.saved}`, `checkpoints evaluated, ${w.evaluation.skipped} skipped, ${seconds(w.evaluation.worst_lag_s)} behind at worst`)] : []),
    tile(...verdict),
    failed ? tile(failed, "lines of the script failed", "bad") : ""));

  const events = w.failures.filter(f => f.at_s > 0).map(f => ({ x: f.at_s, text: f.what }));
  const column = name => { const i = data.columns.indexOf(name); return data.rows.map(row => [row[0], row[i]]); };
  const x = { label: "virtual time", format: seconds, base: 60 }, plots = el("div", { class: "plots" });
  page.append(plots);
  linePlot(plots, { title: "Steps", x, y: { label: "steps", format: plain }, events,
    series: [{ name: "global step", points: column("global_step") }, { name: "made", points: column("steps_made") }, { name: "lost", points: column("steps_lost") }] });
  linePlot(plots, { title: "Steps a second", x, y: { label: "steps/s", format: plain }, events, series: [{ name: "all workers", points: column("steps_per_s") }] });
  linePlot(plots, { title: "Processes", x, y: { label: "processes", format: plain }, events,
    series: [{ name: "run", points: column("running"), step: true }, { name: "wait for somebody", points: column("waiting"), step: true }] });
  linePlot(plots, { title: "Time without a step", x, y: { label: "seconds", format: seconds, base: 60 }, events, series: [{ name: "since the last step", points: column("stands_s") }] });

  const served = r.serving;
  if (served) linePlot(plots, { title: "Age of parameters", x, y: { label: "seconds", format: seconds, base: 60 }, events,
    series: [{ name: "oldest that a pod serves", points: column("parameters_age_s") }] });

  const lanes = new Map();
  for (const b of list(data.bars)) {
    if (!lanes.has(b.who)) lanes.set(b.who, { name: b.who, bars: [] });
    lanes.get(b.who).bars.push({ from: b.from_s, until: b.until_s, kind: b.what, label: `${b.what} ${seconds(b.from_s)} to ${seconds(b.until_s)}${b.end ? ", ended with " + b.end : ""}` });
  }
  for (const m of r.timeline.filter(m => ["saved", "restored", "failed", "loaded"].includes(m.what)))
    if (lanes.has(m.who)) lanes.get(m.who).bars.push({ from: m.at_s, until: m.at_s, kind: m.what, label: `${m.what} ${m.about || ""} at ${seconds(m.at_s)}` });
  lanePlot(plots, { title: "Each process", note: "lives, and of the first moments saves, restores and ends by errors", begin: 0, end: r.virtual_s, format: seconds, rows: [...lanes.values()],
    kinds: { start: "var(--bar-process)", running: "var(--bar-available)", saved: "var(--s1)", restored: "var(--s2)", failed: "var(--s4)", loaded: "var(--s3)" } });

  const table = (title, head, rows) => rows.length ? page.append(el("h2", {}, title), el("table", { class: "facts" },
    el("tr", {}, ...head.map(h => el("th", {}, h))), ...rows.map(cells => el("tr", {}, ...cells.map(c => el("td", {}, String(c))))))) : 0;
  table("What failed, and what it took", ["at", "what", "without a step", "steps lost"], w.failures.map(f => [seconds(f.at_s), f.what, seconds(f.paused_s), f.steps_lost]));
  if (served) {
    const when = s => s < 0 ? "" : seconds(s);
    table("From step to served address", ["step", "sub-graph", "saved", "loaded", "served by the first", "served by the last", "pods"],
      list(served.exports).map(v => [v.step, v.model, when(v.saved_s), when(v.loaded_s), when(v.served_s), when(v.last_served_s), v.pods]));
    table("Age of the parameters of serving PS", ["sub-graph", "pod", "mean", "worst", "at the end", "pushes", "failed", "steps missing", "at most"],
      list(served.parameters).map(p => [p.model, p.pod, seconds(p.mean_s), seconds(p.worst_s), when(p.end_s), p.pushes, p.failed, p.missing_steps, p.most_missing_steps]));
  }
  table("Script", ["at", "what", "outcome"], list(r.acts).map(a => [seconds(a.at_s), a.what, a.error ? "failed: " + a.error : "done"]));
  table("Invariants that broke", ["at", "which", "what", "known"], list(r.invariants).map(b => [seconds(b.at_s), b.invariant, b.what, expected.includes(b.invariant) ? "the plan expects it" : b.known || ""]));
  page.append(el("p", { class: "hint" }, [list(r.held).length ? list(r.held).join(", ") + " hold" : "", list(r.not_checked).length ? "not checked: " + r.not_checked.join(", ") : "", r.undecided ? "INV-8 not decided: " + r.undecided : ""].filter(Boolean).join("; ")));
  table("At the end", ["processes", "what"], r.processes.map(d => [d.processes.length > 4 ? `${d.processes[0]} to ${d.processes[d.processes.length - 1]} (${d.processes.length})` : d.processes.join(", "), d.what]));
  table("Timeline", ["at", "who", "what", "about"], r.timeline.map(m => [stamp(m.at_s * 1e9), m.who, m.what, m.about || ""]));
  if (r.moments_total > r.timeline.length) page.append(el("p", { class: "hint" }, `and ${r.moments_total - r.timeline.length} more`));
}
