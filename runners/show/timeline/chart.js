// drawChart(element, chart) draws a Chart of chart.go into an element; how may have
// failedStep, the index of the step that failed. It needs el() and stamp() of page.js.
// It returns an object whose show(from, until) looks at a part of the time, in ns.
function drawChart(host, chart, how = {}) {
  const ROW = 17, BAR = 12, HEAD = 18, RIGHT = 14;
  let NAMES = 210; // what the names of lanes and rows take of the width, on a phone a quarter
  const end = Math.max(chart.end_ns, 1);
  const state = { written: -2, happened: -2, from: 0, until: end, at: end, pinned: false, lanes: "", drag: null };

  // ---- time to pixels
  let width = 0;
  const plotWidth = () => Math.max(width - NAMES - RIGHT, 50);
  const x = t => NAMES + (t - state.from) / (state.until - state.from) * plotWidth();
  const time = px => state.from + (px - NAMES) / plotWidth() * (state.until - state.from);
  const within = t => Math.min(Math.max(t, 0), end);

  // ---- the parts
  const axis = svg("svg", { class: "chart-axis", height: 24 });
  const plot = svg("svg", { class: "chart-plot", tabindex: 0, role: "img", "aria-label": "lanes over virtual time; arrow keys move from event to event" });
  const moment = el("span", { class: "moment", "aria-live": "off" });
  const lanesInput = el("input", { type: "search", placeholder: "lanes, as shard0", "aria-label": "show only lanes with" });
  const services = el("section"), znodes = el("section"), events = el("section");
  const button = (text, title, act) => el("button", { type: "button", title, onclick: act }, text);
  const scroll = el("div", { class: "chart-scroll" }, axis, plot);
  const marked = new Set(chart.marks.map(m => m.lane));
  host.append(el("div", { class: "chart" },
    el("div", { class: "chart-bar" },
      button("−", "less detail", () => zoom(2)), button("+", "more detail (or drag over the lanes)", () => zoom(0.5)),
      button("Whole run", "show all of it", () => show(0, end)),
      button("◂", "the event before (left arrow)", () => step(-1)), button("▸", "the next event (right arrow)", () => step(1)),
      lanesInput, el("span", { class: "hint" }, "move to look, click to hold, drag to zoom"), moment),
    scroll,
    legend(),
    el("div", { class: "chart-now" }, services, znodes, events)));

  function svg(tag, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    e.append(...children);
    return e;
  }

  function legend() {
    const item = (color, text) => el("span", {}, el("i", { style: `background:var(${color})` }), text);
    return el("div", { class: "chart-legend" },
      item("--bar-fault", "fault"), item("--bar-process", "process"), item("--bar-session", "ZooKeeper session"),
      item("--bar-loading", "loading"), item("--bar-available", "available"), item("--bar-unloading", "unloading"),
      item("--bar-registered", "registered (ephemeral znode)"), item("--bad", "error"), item("--warn", "warning"),
      el("span", {}, `${chart.calls} calls that went well are not shown` + (chart.left_out ? `, nor the ${chart.left_out} earliest events` : "")));
  }

  // ---- drawing
  function ticks() {
    const span = state.until - state.from, wanted = span / Math.max(plotWidth() / 110, 1);
    const units = [1, 2, 5].flatMap(n => [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].map(u => n * u))
      .concat([10e9, 15e9, 30e9, 60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9, 7200e9, 21600e9, 43200e9, 86400e9, 172800e9, 604800e9]).sort((a, b) => a - b);
    const by = units.find(u => u >= wanted) || units[units.length - 1];
    const list = [];
    for (let t = Math.ceil(state.from / by) * by; t <= state.until; t += by) list.push(t);
    return list;
  }

  // layout places the lanes that are shown: where each begins and ends.
  function layout() {
    let y = 4;
    const list = [];
    for (const [i, lane] of chart.lanes.entries()) {
      if (!lane.rows.length && !marked.has(i) || state.lanes && !lane.name.includes(state.lanes) && lane.name !== "scenario") continue;
      const steps = lane.rows.filter(row => row.group === "steps").length;
      const height = (steps ? 0 : HEAD) + lane.rows.length * ROW + 4;
      list.push({ i, lane, top: y, end: y + height });
      y += height;
    }
    return { list, height: y };
  }

  function redraw() {
    width = host.clientWidth - 2;
    if (width <= 0) return;
    NAMES = Math.round(Math.min(210, Math.max(width * .25, 72)));
    const { list, height } = layout();
    axis.replaceChildren(); plot.replaceChildren();
    axis.setAttribute("width", width); plot.setAttribute("width", width);
    plot.setAttribute("height", height + 2);
    const grid = svg("g"), shapes = svg("g");
    for (const t of ticks()) {
      axis.append(svg("text", { class: "tick", x: x(t), y: 15, "text-anchor": "middle" }, tickText(t)));
      grid.append(svg("line", { class: "grid", x1: x(t), x2: x(t), y1: 0, y2: height }));
    }
    for (const m of chart.marks) {
      if (m.op !== "instant" || m.at < state.from || m.at > state.until) continue;
      const line = svg("line", { class: "instant", x1: x(m.at), x2: x(m.at), y1: 0, y2: height });
      line.append(svg("title", {}, `${stamp(m.at)} ${m.text}`));
      grid.append(line);
    }
    const cursor = svg("line", { class: "cursor", y1: 0, y2: height }), select = svg("rect", { class: "select", y: 0, height, width: 0 });
    plot.append(grid, shapes, cursor, select);
    Object.assign(state, { cursor, select, shapes, list, marks: marksByLane() });
    drawLanes();
    move();
  }

  // drawLanes draws the lanes that can be seen, and some around them.
  function drawLanes() {
    const from = scroll.scrollTop - 400, until = scroll.scrollTop + scroll.clientHeight + 400;
    state.drawnAt = scroll.scrollTop;
    state.shapes.replaceChildren();
    for (const { i, lane, top, end } of state.list) {
      if (end > from && top < until) drawLane(state.shapes, lane, state.marks[i], top);
    }
  }

  // drawLane draws a lane from y on: its name and marks on a line, then its rows.
  function drawLane(g, lane, marks, y) {
    const top = y;
    if (top > 4) g.append(svg("line", { class: "split", x1: 0, x2: width, y1: top, y2: top }));
    g.append(named("lane", 4, top + 13, lane.name));
    for (const m of marks) {
      const px = x(m.at);
      const tick = svg("line", { class: "mark " + m.grave, x1: px, x2: px, y1: top + 4, y2: top + HEAD - 2 });
      tick.append(svg("title", {}, `${stamp(m.at)} ${m.text}`));
      g.append(tick);
    }
    y += HEAD;
    let before = "";
    for (const row of lane.rows) {
      if (row.group === "steps") y -= HEAD;
      const name = `${row.group} ${row.name}`;
      if (row.group !== "steps" && name !== before) g.append(named("row r-" + row.group, NAMES > 150 ? 18 : 8, y + 12, rowName(row)));
      before = name;
      row.bars.forEach((bar, i) => drawBar(g, row, bar, i, y));
      y += ROW;
    }
  }

  // named writes a name at the left; of one that is too long its begin and its end are shown,
  // as names of pods and sub-graphs differ at the end.
  function named(kind, left, y, text) {
    const most = Math.max(Math.floor((NAMES - left - 4) / (kind === "lane" ? 7 : 6)), 6), keep = Math.floor((most - 1) / 2);
    const t = svg("text", { class: kind, x: left, y }, text.length > most ? text.slice(0, most - 1 - keep) + "…" + text.slice(-keep) : text);
    t.append(svg("title", {}, text));
    return t;
  }

  const rowName = row => ({ registrations: "registers " + row.name, sessions: "session", models: row.name }[row.group] || row.name);

  function drawBar(g, row, bar, i, y) {
    if (bar.until < state.from || bar.from > state.until) return;
    const left = Math.max(x(bar.from), NAMES), right = Math.min(x(bar.until), width - RIGHT);
    const wide = Math.max(right - left, row.group === "faults" ? 4 : 2);
    const failed = row.group === "steps" && i === how.failedStep;
    const rect = svg("rect", {
      class: `bar g-${row.group} s-${bar.state}` + (row.group === "steps" && i % 2 ? " odd" : "") + (failed ? " failed" : ""),
      x: left, y: y + 2, width: wide, height: BAR + 1, rx: 2,
    });
    const until = bar.open ? "still so at the end" : `until ${stamp(bar.until)}`;
    rect.append(svg("title", {}, `${bar.label}${row.group === "registrations" && bar.state ? " " + bar.state : ""}\n${stamp(bar.from)}, ${until} (${span(bar.until - bar.from)})${bar.end ? "\nended: " + bar.end : ""}`));
    g.append(rect);
    const room = Math.floor((wide - 8) / 6);
    if (room >= 3) g.append(svg("text", { class: "in" + (row.group === "steps" && !failed ? " plain" : ""), x: left + 4, y: y + 12 }, cut(inBar(row, bar), room)));
  }

  const inBar = (row, bar) => {
    switch (row.group) {
      case "models": return bar.label.replace(row.name + "/", "v");
      case "registrations": return bar.state || bar.label.slice(bar.label.lastIndexOf("/") + 1);
    }
    return bar.label;
  };
  const cut = (text, n) => text.length > n ? text.slice(0, Math.max(n - 1, 1)) + "…" : text;

  // marksByLane has the marks in view: of those on one pixel the gravest.
  function marksByLane() {
    const lanes = chart.lanes.map(() => new Map());
    for (const m of chart.marks) {
      if (m.at < state.from || m.at > state.until) continue;
      const one = { at: m.at, text: m.text, grave: grave(m) }, px = Math.round(x(m.at)), old = lanes[m.lane].get(px);
      if (!old || rank(one) > rank(old)) lanes[m.lane].set(px, one);
    }
    return lanes.map(l => [...l.values()]);
  }
  const rank = m => ["", "write", "warn", "bad"].indexOf(m.grave);
  function grave(m) {
    if (m.op === "instant" || m.op === "log.error" || m.op === "rpc" || m.op === "fault.happen" || m.op === "fault.begin" || m.op === "process.exit") return "bad";
    if (m.op === "log.warning" || m.op === "zookeeper.closeSession") return "warn";
    return m.op.startsWith("zookeeper.") ? "write" : "";
  }

  // ---- the moment under the cursor
  let queued = false;
  function look(t) {
    state.at = within(t);
    if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; move(); }); }
  }
  function move() {
    if (!state.cursor) return;
    const px = x(state.at);
    state.cursor.setAttribute("x1", px); state.cursor.setAttribute("x2", px);
    state.cursor.style.display = px < NAMES - 1 || px > width ? "none" : "";
    moment.textContent = `t+${stamp(state.at)}${state.pinned ? " (held)" : ""}`;
    const written = lastOf(chart.writes, state.at), happened = lastOf(chart.marks, state.at);
    if (written !== state.written) { state.written = written; const world = worldAt(written); drawServices(world); drawZnodes(world); }
    if (happened !== state.happened || state.lanes !== state.eventsOf) { state.happened = happened; state.eventsOf = state.lanes; drawEvents(); }
  }

  // lastOf is the index of the last of a list, which is in order, that is not after t.
  function lastOf(list, t) {
    let low = 0, high = list.length;
    while (low < high) { const mid = (low + high) >> 1; if (list[mid].at <= t) low = mid + 1; else high = mid; }
    return low - 1;
  }

  // worldAt replays what was written, up to the write of an index.
  function worldAt(index) {
    const tree = new Map();
    for (const w of chart.writes.slice(0, index + 1)) {
      if (w.op === "delete") tree.delete(w.path); else tree.set(w.path, w);
    }
    return { tree, last: chart.writes[index] };
  }

  function drawServices({ tree }) {
    const keys = new Map(), infos = new Map();
    for (const w of tree.values()) {
      if (!w.key) continue;
      if (w.key === "service info") { infos.set(w.who, w.addr); continue; }
      if (!keys.has(w.key)) keys.set(w.key, []);
      keys.get(w.key).push(w);
    }
    const rows = [];
    for (const key of [...keys.keys()].sort()) {
      rows.push(el("tr", { class: "key" }, el("td", { colspan: 3 }, key)));
      for (const w of keys.get(key).sort((a, b) => a.who < b.who ? -1 : 1)) {
        const addr = w.addr || infos.get(w.who);
        rows.push(el("tr", {}, el("td", {}, chart.lanes[w.lane].name), el("td", addr ? {} : { class: "dim" }, addr || "no service info"), el("td", { class: "dim" }, w.state || "")));
      }
    }
    const alone = [...infos].filter(([who]) => ![...keys.values()].flat().some(w => w.who === who));
    if (alone.length) {
      rows.push(el("tr", { class: "key" }, el("td", { colspan: 3 }, "nothing bound")));
      for (const [who, addr] of alone) rows.push(el("tr", {}, el("td", {}, who.slice(who.lastIndexOf(":") + 1)), el("td", {}, addr), el("td")));
    }
    services.replaceChildren(el("h4", {}, "Services ", el("small", {}, "as registered in ZooKeeper")),
      rows.length ? el("table", {}, ...rows) : el("p", { class: "none" }, "nothing is registered"));
  }

  const mostZnodes = 400;
  function drawZnodes({ tree, last }) {
    const paths = [...tree.keys()].sort();
    const items = paths.slice(0, mostZnodes).map(path => {
      const w = tree.get(path), parts = path.split("/");
      return el("li", { class: w === last ? "fresh" : "", style: `padding-left:${(parts.length - 2) * 0.9}em`, title: path + (w.data ? "\n" + w.data : "") },
        el("span", { class: w.ephemeral ? "eph" : "" }, "/" + parts[parts.length - 1]), w.data ? el("span", { class: "data" }, "  " + w.data) : "");
    });
    if (paths.length > mostZnodes) items.push(el("li", { class: "data" }, `… and ${paths.length - mostZnodes} more`));
    znodes.replaceChildren(el("h4", {}, "Znodes ", el("small", {}, `${paths.length}, ephemeral ones coloured`)),
      items.length ? el("ul", { class: "chart-tree" }, ...items) : el("p", { class: "none" }, "none was written yet"));
  }

  const indexByN = new Map(chart.marks.map((m, i) => [m.n, i]));
  function drawEvents() {
    const shown = chart.marks.map((m, i) => i).filter(i => !state.lanes || chart.lanes[chart.marks[i].lane].name.includes(state.lanes));
    const i = lastOf(chart.marks, state.at);
    let k = shown.length;
    while (k > 0 && shown[k - 1] > i) k--;
    const items = shown.slice(Math.max(k - 9, 0), k + 4).map(j => {
      const m = chart.marks[j], cause = indexByN.get(m.cause);
      return el("li", { class: j > i ? "later" : j === i ? "at" : "", "data-n": m.n },
        el("time", {}, stamp(m.at)), el("b", {}, chart.lanes[m.lane].name), el("span", { class: grave(m) }, m.text), " ",
        cause === undefined ? "" : el("button", { type: "button", class: "link", title: chart.marks[cause].text, onclick: () => hold(chart.marks[cause].at) }, `because of ${stamp(chart.marks[cause].at)}`));
    });
    events.replaceChildren(el("h4", {}, "Around this moment ", el("small", {}, `${shown.length} events`)),
      items.length ? el("ul", { class: "chart-events" }, ...items) : el("p", { class: "none" }, "nothing happened yet"));
    const now = events.querySelector(".at");
    if (now) events.scrollTop = Math.max(now.offsetTop - events.offsetTop - events.clientHeight * 0.7, 0);
  }

  // ---- what a person does
  function hold(t) {
    state.pinned = true;
    if (t < state.from || t > state.until) { const half = (state.until - state.from) / 2; show(t - half, t + half); }
    look(t);
  }
  function step(by) {
    let i = lastOf(chart.marks, state.at);
    if (by > 0) i++; else { while (i >= 0 && chart.marks[i].at >= state.at) i--; }
    if (i >= 0 && i < chart.marks.length) hold(chart.marks[i].at);
  }
  function show(from, until) {
    const least = Math.min(1e6, end), wide = Math.max(until - from, least);
    state.from = Math.max(Math.min(from, end - wide), 0);
    state.until = Math.min(state.from + wide, end);
    redraw();
  }
  function zoom(by) {
    const middle = state.at >= state.from && state.at <= state.until ? state.at : (state.from + state.until) / 2;
    show(middle - (middle - state.from) * by, middle + (state.until - middle) * by);
  }

  const at = e => within(time(e.clientX - plot.getBoundingClientRect().left));
  plot.addEventListener("pointermove", e => {
    const t = at(e);
    if (state.drag !== null) {
      const a = Math.min(x(state.drag), x(t)), b = Math.max(x(state.drag), x(t));
      state.select.setAttribute("x", a); state.select.setAttribute("width", b - a);
    }
    if (!state.pinned) look(t);
  });
  plot.addEventListener("pointerdown", e => { if (e.button === 0) { state.drag = at(e); plot.setPointerCapture(e.pointerId); } });
  plot.addEventListener("pointerup", e => {
    if (state.drag === null) return;
    const from = state.drag, until = at(e);
    state.drag = null; state.select.setAttribute("width", 0);
    if (Math.abs(x(until) - x(from)) > 5) { show(Math.min(from, until), Math.max(from, until)); return; }
    state.pinned = !state.pinned || Math.abs(x(state.at) - x(until)) > 3;
    look(until);
  });
  plot.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.shiftKey) return;
    e.preventDefault();
    const t = at(e), by = (e.deltaY || e.deltaX) > 0 ? 1.3 : 1 / 1.3;
    show(t - (t - state.from) * by, t + (state.until - t) * by);
  }, { passive: false });
  plot.addEventListener("keydown", e => {
    const act = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), "+": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, end), Escape: () => { state.pinned = false; move(); } }[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  scroll.addEventListener("scroll", () => { if (Math.abs(scroll.scrollTop - state.drawnAt) > 200) drawLanes(); }, { passive: true });
  lanesInput.addEventListener("input", () => { state.lanes = lanesInput.value.trim(); redraw(); });
  new ResizeObserver(() => { if (host.clientWidth - 2 !== width) redraw(); }).observe(host);
  redraw();
  return { show, hold };
}
