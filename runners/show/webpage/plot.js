// Plots of numbers as SVG, which follow the width of their element and the colours of the
// page. Each has a text alternative and its data as a table. They need el() of page.js.
//
//   linePlot(host, { title, note, x, y, series, limits, events, log })
//     x, y: { label, format }; series: [{ name, points: [[x, y]], band: [[x, low, high]],
//     step, dash }]; limits: [{ y, text }]; events: [{ x, until, text }], of which one that lasts
//     has an until; log: y is logarithmic
//   heatPlot(host, { title, note, xs, ys, x, y, cells: [{ x, y, value, text, bad }], contour, lines: { of, format } })
//   barPlot(host, { title, note, x, rows: [{ name, parts: [{ name, value }] }] })
//   rangePlot(host, { title, note, x, base, names, rows: [{ name, low, high }] })
//   lanePlot(host, { title, note, begin, end, rows: [{ name, bars: [{ from, until, kind, label }] }], kinds: { kind: colour } })
function shape(tag, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes || {})) if (v !== undefined && v !== false) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}

// plain writes a number with three digits: "1,234", "12.3", "0.00123", "1.2M".
function plain(v) {
  const a = Math.abs(v);
  if (v === 0 || !isFinite(v)) return String(v);
  if (a >= 1e9) return +(v / 1e9).toPrecision(3) + "G";
  if (a >= 1e6) return +(v / 1e6).toPrecision(3) + "M";
  if (a >= 1000) return Math.round(v).toLocaleString("en-US");
  return String(+v.toPrecision(3));
}

// bytesText writes bytes as "1.5 GiB".
function bytesText(v) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let i = 0;
  while (Math.abs(v) >= 1000 && i < units.length - 1) { v /= 1024; i++; }
  return +v.toPrecision(3) + " " + units[i];
}

// niceTicks are some round numbers from low to high; those of a logarithmic axis are powers
// of ten.
function niceTicks(low, high, count, base) {
  const raw = (high - low) / Math.max(count, 1) || 1;
  const power = Math.pow(base || 10, Math.floor(Math.log(raw) / Math.log(base || 10)));
  const steps = base === 60 ? [1, 2, 5, 10, 15, 30, 60] : base === 1024 ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] : [1, 2, 5, 10];
  const step = (steps.find(s => s * power >= raw) || 10) * power;
  const ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) ticks.push(+v.toPrecision(12));
  return ticks;
}

function logTicks(low, high, base) {
  const ticks = [], b = base === 1024 ? 32 : 10, log = v => Math.log(v) / Math.log(b);
  for (let p = Math.ceil(log(low) - 1e-9); p <= log(high) + 1e-9; p++) ticks.push(Math.pow(b, p));
  const every = Math.ceil(ticks.length / 6);
  return ticks.filter((_, i) => i % every === 0);
}

// figure makes the frame of a plot: its drawing is made anew for each width. table is a
// function that returns [head, rows] for the data below it.
function figure(host, o, draw, table) {
  const box = el("figure", { class: "plot" + (o.wide ? " wide" : "") },
    el("figcaption", {}, o.title, o.note ? el("small", {}, o.note) : ""));
  const drawing = el("div", {}), read = el("div", { class: "read", "aria-live": "off" }), legend = el("div", { class: "legend" });
  box.append(drawing, read, legend);
  const details = el("details", {}, el("summary", {}, "the data as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const [head, rows] = table();
    details.append(el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, ...head.map(h => el("th", { scope: "col" }, h)))),
      el("tbody", {}, ...rows.map(r => el("tr", {}, ...r.map(c => el("td", {}, String(c)))))))));
  });
  box.append(details);
  host.append(box);
  let last = 0;
  const again = () => {
    const width = drawing.clientWidth;
    if (width < 40) return;
    last = width;
    const svg = draw(width, read, legend, again);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", o.title + (o.alt ? ": " + o.alt : o.note ? ": " + o.note : ""));
    drawing.replaceChildren(svg);
  };
  new ResizeObserver(() => { if (drawing.clientWidth !== last) again(); }).observe(drawing);
  again();
  return box;
}

const seriesColour = i => `var(--s${i % 8 + 1})`;

function linePlot(host, o) {
  const LEFT = 58, BOTTOM = 34, RIGHT = 10;
  const xf = o.x.format || plain, yf = o.y.format || plain;
  const hidden = new Set();
  const used = () => o.series.filter(s => !hidden.has(s.name));
  const extent = (of, also) => {
    let low = Infinity, high = -Infinity;
    for (const v of [...of, ...also]) if (isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    return low > high ? [0, 1] : [low, high];
  };
  const draw = (width, read, legend, again) => {
    let xs = [], ys = [];
    for (const s of used()) {
      for (const [x, y] of s.points) { xs.push(x); if (!o.log || y > 0) ys.push(y); }
      for (const [x, a, b] of s.band || []) { xs.push(x); if (!o.log || a > 0) ys.push(a); ys.push(b); }
    }
    let [x0, x1] = extent(xs, []), [y0, y1] = extent(ys, (o.limits || []).map(l => l.y));
    if (!o.log) y0 = Math.min(y0, 0);
    if (x0 === x1) { x0 -= .5; x1 += .5; }
    if (o.log) { y0 = Math.pow(10, Math.floor(Math.log10(y0))); y1 = Math.pow(10, Math.ceil(Math.log10(y1))); }
    if (y0 === y1) y1 = o.log ? y0 * 10 : y0 + 1;
    if (!o.log) y1 += (y1 - y0) * .04;
    const w = Math.max(width - LEFT - RIGHT, 20);
    const px = x => LEFT + (o.x.log ? Math.log(x / x0) / Math.log(x1 / x0) : (x - x0) / (x1 - x0)) * w;
    const events = (o.events || []).filter(e => (e.until || e.x) >= x0 && e.x <= x1).map(e => ({ e, from: px(Math.max(e.x, x0)), until: e.until ? px(Math.min(e.until, x1)) : 0 }));
    const above = 11 * placeLabels(events, LEFT, w); // labels stand above the curves
    const HEIGHT = (o.height || 220) + above, TOP = 10 + above, h = HEIGHT - TOP - BOTTOM;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT });
    const py = y => TOP + h - (o.log ? Math.log(Math.max(y, y0) / y0) / Math.log(y1 / y0) : (y - y0) / (y1 - y0)) * h;
    for (const y of o.log ? logTicks(y0, y1, o.y.base) : niceTicks(y0, y1, 5, o.y.base)) {
      svg.append(shape("line", { class: "grid", x1: LEFT, x2: LEFT + w, y1: py(y), y2: py(y) }));
      svg.append(shape("text", { x: LEFT - 6, y: py(y) + 4, "text-anchor": "end" }, yf(y)));
    }
    const xTicks = o.x.ticks || (o.x.log ? logTicks(x0, x1) : niceTicks(x0, x1, Math.max(Math.floor(w / 90), 2), o.x.base));
    for (const x of xTicks) {
      if (x < x0 || x > x1) continue;
      svg.append(shape("line", { class: "grid", x1: px(x), x2: px(x), y1: TOP + h, y2: TOP + h + 4 }));
      svg.append(shape("text", { x: px(x), y: TOP + h + 16, "text-anchor": "middle" }, xf(x)));
    }
    svg.append(shape("text", { x: LEFT + w, y: HEIGHT - 4, "text-anchor": "end" }, o.x.label));
    svg.append(shape("text", { x: LEFT, y: HEIGHT - 4 }, o.y.label));
    for (const { e, from, until, label, row, end } of events) {
      const marks = [shape("line", { class: "event", x1: from, x2: from, y1: TOP, y2: TOP + h })];
      if (until) marks.push(shape("rect", { class: "lasts", x: from, y: TOP, width: Math.max(until - from, 1), height: h }));
      if (label) marks.push(shape("text", { class: "event", x: end ? from - 3 : from + 3, y: TOP - 4 - 11 * row, "text-anchor": end ? "end" : undefined }, label));
      for (const m of marks) m.append(shape("title", {}, e.text));
      svg.append(...marks);
    }
    for (const s of used()) {
      const i = o.series.indexOf(s), colour = seriesColour(i);
      if (s.band && s.band.length === 1) { // of one point: its interval
        const [x, a, b] = s.band[0];
        svg.append(shape("line", { class: "whisker", x1: px(x), x2: px(x), y1: py(a), y2: py(b), style: `stroke:${colour}` }));
      } else if (s.band && s.band.length) {
        const up = s.band.map(([x, , b]) => `${px(x).toFixed(1)},${py(b).toFixed(1)}`), down = s.band.map(([x, a]) => `${px(x).toFixed(1)},${py(a).toFixed(1)}`).reverse();
        svg.append(shape("path", { class: "band", style: `fill:${colour}`, d: "M" + up.concat(down).join("L") + "Z" }));
      }
      let d = "", pen = false, before = 0;
      for (const [x, y] of s.points) {
        if (!isFinite(y) || y === null || o.log && y <= 0) { pen = false; continue; }
        const X = px(x).toFixed(1), Y = py(y).toFixed(1);
        d += pen ? (s.step ? `H${X}V${Y}` : `L${X} ${Y}`) : `M${X} ${Y}`;
        pen = true; before = Y;
      }
      svg.append(shape("path", { class: "line", d, style: `stroke:${colour}`, "stroke-dasharray": s.dash ? "5 3" : undefined }));
      if (s.points.length <= 40) for (const [x, y] of s.points) if (isFinite(y) && y !== null && !(o.log && y <= 0)) svg.append(shape("circle", { cx: px(x), cy: py(y), r: 2.5, style: `fill:${colour}` }));
    }
    for (const l of o.limits || []) {
      svg.append(shape("line", { class: "limit", x1: LEFT, x2: LEFT + w, y1: py(l.y), y2: py(l.y) }));
      svg.append(shape("text", { class: "limit", x: LEFT + w, y: py(l.y) - 4, "text-anchor": "end" }, l.text));
    }
    const cursor = shape("line", { class: "cursor", y1: TOP, y2: TOP + h, visibility: "hidden" });
    svg.append(cursor);
    svg.onpointermove = e => {
      const at = e.clientX - svg.getBoundingClientRect().left;
      let best = null;
      for (const s of used()) for (const [x] of s.points) if (best === null || Math.abs(px(x) - at) < Math.abs(px(best) - at)) best = x;
      if (best === null) return;
      cursor.setAttribute("visibility", "visible");
      cursor.setAttribute("x1", px(best)); cursor.setAttribute("x2", px(best));
      read.textContent = xf(best) + "  " + used().map(s => {
        const p = s.points.find(q => q[0] === best);
        return p && p[1] !== null ? `${s.name} ${yf(p[1])}` : "";
      }).filter(t => t).join("  ");
    };
    svg.onpointerleave = () => { cursor.setAttribute("visibility", "hidden"); read.textContent = ""; };
    legend.replaceChildren(...(o.series.length < 2 ? [] : o.series.map((s, i) => el("button", {
      type: "button", "aria-pressed": String(!hidden.has(s.name)),
      onclick: () => { hidden.has(s.name) ? hidden.delete(s.name) : hidden.add(s.name); again(); },
    }, el("i", { style: `background:${seriesColour(i)}` }), s.name))));
    return svg;
  };
  return figure(host, o, draw, () => {
    const xs = [...new Set(o.series.flatMap(s => s.points.map(p => p[0])))].sort((a, b) => a - b);
    const maps = o.series.map(s => new Map(s.points));
    const bands = o.series.map(s => new Map((s.band || []).map(([x, a, b]) => [x, ` [${yf(a)}, ${yf(b)}]`])));
    return [[o.x.label, ...o.series.map(s => s.name)], xs.map(x => [xf(x), ...maps.map((m, i) => m.has(x) && m.get(x) !== null ? yf(m.get(x)) + (bands[i].get(x) || "") : "")])];
  });
}

// placeLabels gives events their labels, in rows of which none overlap, and returns the number of
// rows. A label that three rows have no room for is left out.
function placeLabels(events, left, w) {
  const rows = [];
  for (const one of events) {
    const text = one.e.text.length > 26 ? one.e.text.slice(0, 25) + "…" : one.e.text, wide = 6 * text.length + 6;
    one.end = one.from > left + w * .7;
    const from = one.end ? one.from - wide : one.from, until = from + wide;
    let row = rows.findIndex(taken => taken.every(t => t.until <= from || t.from >= until));
    if (row < 0) row = rows.length;
    if (row === 3) continue;
    (rows[row] = rows[row] || []).push({ from, until });
    Object.assign(one, { label: text, row });
  }
  return rows.length;
}

// rowName names a row at the left of a plot; of one that is too long its end is shown.
function rowName(name, left, y) {
  const most = Math.floor((left - 8) / 6);
  const t = shape("text", { class: "strong", x: left - 6, y, "text-anchor": "end" }, name.length > most ? "…" + name.slice(1 - most) : name);
  t.append(shape("title", {}, name));
  return t;
}

function heatPlot(host, o) {
  const LEFT = 58, TOP = 6, BOTTOM = 36, yf = o.y.format || plain, xf = o.x.format || plain;
  const values = o.cells.map(c => c.value).filter(v => v > 0 && isFinite(v));
  const low = Math.min(...values), high = Math.max(...values);
  const draw = (width, read) => {
    const row = Math.max(26, Math.min(44, 240 / o.ys.length)), h = row * o.ys.length, height = h + TOP + BOTTOM;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height });
    const col = (width - LEFT - 6) / o.xs.length;
    for (const c of o.cells) {
      const i = o.xs.indexOf(c.x), j = o.ys.length - 1 - o.ys.indexOf(c.y);
      const t = c.value > 0 && high > low ? Math.log(c.value / low) / Math.log(high / low) : 0;
      const fill = !(c.value > 0) ? "transparent" : c.bad ? "var(--bad)" : "var(--s1)";
      const r = shape("rect", { x: LEFT + i * col + 1, y: TOP + j * row + 1, width: Math.max(col - 2, 1), height: row - 2, rx: 2,
        style: `fill:${fill};fill-opacity:${c.value > 0 ? (.12 + .5 * t).toFixed(2) : 0};stroke:${c.bad ? "var(--bad)" : "var(--line)"}` });
      r.append(shape("title", {}, c.text));
      r.onpointerenter = () => { read.textContent = c.text; };
      svg.append(r);
      if (col > 34) svg.append(shape("text", { class: "in", x: LEFT + (i + .5) * col, y: TOP + (j + .5) * row + 4, "text-anchor": "middle", "pointer-events": "none" }, c.value > 0 ? (o.format || plain)(c.value) : c.short || "–"));
    }
    const at = new Map(o.cells.map(c => [c.x + "/" + c.y, c])), cell = (i, j) => at.get(o.xs[i] + "/" + o.ys[j]);
    const left = i => LEFT + i * col, top = j => TOP + (o.ys.length - 1 - j) * row;
    if (o.lines) isoLines(svg, o, (i, j) => cell(i, j) && o.lines.of(cell(i, j)), i => left(i) + col / 2, j => top(j) + row / 2);
    if (o.contour) for (let i = 0; i < o.xs.length; i++) for (let j = 0; j < o.ys.length; j++) {
      const one = cell(i, j), beside = cell(i + 1, j), above = cell(i, j + 1);
      if (one && beside && o.contour(one) !== o.contour(beside)) svg.append(shape("line", { class: "contour", x1: left(i + 1), x2: left(i + 1), y1: top(j), y2: top(j) + row }));
      if (one && above && o.contour(one) !== o.contour(above)) svg.append(shape("line", { class: "contour", x1: left(i), x2: left(i) + col, y1: top(j), y2: top(j) }));
    }
    o.ys.forEach((y, j) => svg.append(shape("text", { x: LEFT - 6, y: TOP + (o.ys.length - 1 - j + .5) * row + 4, "text-anchor": "end" }, yf(y))));
    const every = Math.ceil(o.xs.length * 34 / (width - LEFT));
    o.xs.forEach((x, i) => { if (i % every === 0) svg.append(shape("text", { x: LEFT + (i + .5) * col, y: TOP + h + 14, "text-anchor": "middle" }, xf(x))); });
    svg.append(shape("text", { x: width - 6, y: height - 6, "text-anchor": "end" }, o.x.label));
    svg.append(shape("text", { x: 2, y: height - 6 }, o.y.label));
    return svg;
  };
  return figure(host, o, draw, () => [[o.x.label, o.y.label, "value"], o.cells.map(c => [xf(c.x), yf(c.y), c.text])]);
}

// isoLines draws where a value on the centres of a grid is equal (marching squares), each
// line named at its end.
function isoLines(svg, o, value, px, py) {
  const all = [];
  for (let i = 0; i < o.xs.length; i++) for (let j = 0; j < o.ys.length; j++) { const v = value(i, j); if (v !== undefined && isFinite(v)) all.push(v); }
  const low = Math.min(...all), high = Math.max(...all);
  if (!(high > low)) return;
  for (const level of niceTicks(low, high, 4).filter(v => v > low && v < high)) {
    let d = "", end = null;
    for (let i = 0; i + 1 < o.xs.length; i++) for (let j = 0; j + 1 < o.ys.length; j++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => ({ x: px(a), y: py(b), v: value(a, b) }));
      if (corners.some(c => c.v === undefined || !isFinite(c.v))) continue;
      const cuts = [];
      corners.forEach((a, k) => {
        const b = corners[(k + 1) % 4];
        if (a.v < level !== b.v < level) { const t = (level - a.v) / (b.v - a.v); cuts.push([a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)]); }
      });
      for (let k = 0; k + 1 < cuts.length; k += 2) {
        d += `M${cuts[k].map(v => v.toFixed(1)).join(" ")}L${cuts[k + 1].map(v => v.toFixed(1)).join(" ")}`;
        for (const c of [cuts[k], cuts[k + 1]]) if (end === null || c[1] < end[1]) end = c;
      }
    }
    if (!d) continue;
    svg.append(shape("path", { class: "iso", d }));
    svg.append(shape("text", { class: "iso", x: end[0] + 3, y: end[1] - 2 }, o.lines.format(level)));
  }
}

function barPlot(host, o) {
  const ROW = 24, TOP = 4, BOTTOM = 30, format = o.x.format || plain;
  const names = [...new Set(o.rows.flatMap(r => r.parts.map(p => p.name)))];
  const most = Math.max(...o.rows.map(r => r.parts.reduce((n, p) => n + p.value, 0)), 1e-300);
  const draw = (width, read, legend) => {
    const LEFT = Math.min(150, width * .35), height = TOP + ROW * o.rows.length + BOTTOM, svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height });
    const w = width - LEFT - 12;
    for (const v of niceTicks(0, most, Math.max(Math.floor(w / 90), 2), o.x.base)) {
      svg.append(shape("line", { class: "grid", x1: LEFT + v / most * w, x2: LEFT + v / most * w, y1: TOP, y2: TOP + ROW * o.rows.length }));
      svg.append(shape("text", { x: LEFT + v / most * w, y: TOP + ROW * o.rows.length + 14, "text-anchor": "middle" }, format(v)));
    }
    o.rows.forEach((r, i) => {
      svg.append(rowName(r.name, LEFT, TOP + i * ROW + 16));
      let x = LEFT;
      for (const p of r.parts) {
        const one = shape("rect", { x, y: TOP + i * ROW + 4, width: Math.max(p.value / most * w, 0), height: ROW - 8, style: `fill:${seriesColour(names.indexOf(p.name))}` });
        one.append(shape("title", {}, `${r.name}: ${p.name} ${format(p.value)}`));
        one.onpointerenter = () => { read.textContent = `${r.name}: ${p.name} ${format(p.value)}`; };
        svg.append(one);
        x += p.value / most * w;
      }
    });
    svg.append(shape("text", { x: width - 4, y: height - 4, "text-anchor": "end" }, o.x.label));
    legend.replaceChildren(...(names.length < 2 ? [] : names.map((n, i) => el("span", {}, el("i", { style: `background:${seriesColour(i)}` }), n))));
    return svg;
  };
  return figure(host, o, draw, () => [["", ...names], o.rows.map(r => [r.name, ...names.map(n => { const p = r.parts.find(q => q.name === n); return p ? format(p.value) : ""; })])]);
}

function rangePlot(host, o) {
  const names = o.names || ["-10 %", "+10 %"];
  const ROW = 24, TOP = 4, BOTTOM = 30, format = o.x.format || plain;
  const all = o.rows.flatMap(r => [r.low, r.high]).concat(o.base), pad = (Math.max(...all) - Math.min(...all)) * .06 || 1;
  const low = Math.min(...all) - pad, high = Math.max(...all) + pad;
  const draw = (width, read) => {
    const LEFT = Math.min(170, width * .4), height = TOP + ROW * o.rows.length + BOTTOM, svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height });
    const w = width - LEFT - 12, px = v => LEFT + (v - low) / (high - low) * w;
    for (const v of niceTicks(low, high, Math.max(Math.floor(w / 90), 2))) {
      svg.append(shape("line", { class: "grid", x1: px(v), x2: px(v), y1: TOP, y2: TOP + ROW * o.rows.length }));
      svg.append(shape("text", { x: px(v), y: TOP + ROW * o.rows.length + 14, "text-anchor": "middle" }, format(v)));
    }
    o.rows.forEach((r, i) => {
      svg.append(rowName(r.name, LEFT, TOP + i * ROW + 16));
      for (const [v, colour, which] of [[r.low, "var(--s1)", names[0]], [r.high, "var(--s2)", names[1]]]) {
        const one = shape("rect", { x: Math.min(px(v), px(o.base)), y: TOP + i * ROW + 4, width: Math.max(Math.abs(px(v) - px(o.base)), 1), height: ROW - 8, style: `fill:${colour}` });
        one.append(shape("title", {}, `${r.name} ${which}: ${format(v)}`));
        one.onpointerenter = () => { read.textContent = `${r.name} ${which}: ${format(v)}`; };
        svg.append(one);
      }
    });
    svg.append(shape("line", { class: "cursor", x1: px(o.base), x2: px(o.base), y1: TOP, y2: TOP + ROW * o.rows.length }));
    svg.append(shape("text", { x: width - 4, y: height - 4, "text-anchor": "end" }, o.x.label));
    return svg;
  };
  return figure(host, o, draw, () => [["", names[0], "base", names[1]], o.rows.map(r => [r.name, format(r.low), format(o.base), format(r.high)])]);
}

function lanePlot(host, o) {
  const TOP = 22, kinds = o.kinds || { start: "var(--bar-process)", loading: "var(--bar-loading)", available: "var(--bar-available)" };
  const draw = (width, read, legend) => {
    const row = o.rows.length > 60 ? Math.max(3, Math.min(12, 720 / o.rows.length)) : 15, named = row >= 11;
    const LEFT = named ? Math.min(120, width * .3) : 40, height = TOP + row * o.rows.length + 6, w = width - LEFT - 10, begin = o.begin || 0;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height }), px = t => LEFT + (t - begin) / (o.end - begin) * w;
    for (const t of niceTicks(begin, o.end, Math.max(Math.floor(w / 90), 2), 60)) {
      svg.append(shape("line", { class: "grid", x1: px(t), x2: px(t), y1: TOP - 4, y2: height - 4 }));
      svg.append(shape("text", { x: px(t), y: 12, "text-anchor": "middle" }, o.format(t)));
    }
    o.rows.forEach((r, i) => {
      if (named) svg.append(shape("text", { class: "strong", x: LEFT - 6, y: TOP + i * row + row - 3, "text-anchor": "end" }, r.name));
      for (const b of r.bars) {
        const one = shape("rect", { class: "lane-" + b.kind, x: px(b.from), y: TOP + i * row + (b.under ? row * .55 : 1), width: Math.max(px(b.until) - px(b.from), 1), height: Math.max(b.under ? row * .35 : row - 2, 1), style: `fill:${kinds[b.kind] || "var(--bar-idle)"}` });
        one.append(shape("title", {}, r.name + ": " + b.label));
        one.onpointerenter = () => { read.textContent = r.name + ": " + b.label; };
        svg.append(one);
      }
    });
    legend.replaceChildren(...Object.entries(kinds).map(([k, c]) => el("span", {}, el("i", { style: `background:${c};height:.55rem` }), k)));
    return svg;
  };
  return figure(host, Object.assign({ wide: true }, o), draw, () => [["pod", "what", "from", "until"], o.rows.flatMap(r => r.bars.map(b => [r.name, b.label, o.format(b.from), o.format(b.until)]))]);
}
