"use strict";
// el makes an element: attributes that are functions are listeners, children are elements
// or text.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (typeof v === "function") e[k] = v; else if (v !== undefined && v !== false) e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children);
  return e;
}

// stamp writes nanoseconds as a time of a run, in seconds as everything else of monosim
// does: "102.236s".
function stamp(ns) {
  return (ns / 1e9).toFixed(3) + "s";
}

// tickText writes a time of an axis: "0.25s", "90s", "15m", "3h05m".
function tickText(ns) {
  const s = ns / 1e9;
  if (s < 600) return +s.toFixed(6) + "s";
  const whole = Math.floor(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60, rest = +(s % 60).toFixed(3);
  return (h ? h + "h" + String(m).padStart(2, "0") + "m" : m + "m") + (rest ? rest + "s" : "");
}

// span writes nanoseconds as how long something took.
function span(ns) {
  const s = ns / 1e9;
  if (s === 0) return "0s";
  if (s < 1) return +(s * 1e3).toPrecision(3) + "ms";
  if (s < 60) return +s.toFixed(3) + "s";
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, r = +(s % 60).toFixed(1);
  return (h ? h + "h" : "") + (h || m ? m + "m" : "") + (r ? r + "s" : "");
}

// dataLines are the lines of data that the page has, as text.
function dataLines() {
  return document.getElementById("data").textContent.split("\n").filter(line => line !== "");
}

// lazyList fills an element with items as they come into view, some at a time; make
// makes the element of an item. Calling what it returns shows other items.
function lazyList(host, make, some = 60) {
  const rest = el("div", { class: "more" });
  let items = [], next = 0;
  const more = () => {
    const fragment = document.createDocumentFragment();
    for (const until = Math.min(next + some, items.length); next < until; next++) fragment.append(make(items[next]));
    rest.before(fragment);
    rest.textContent = next < items.length ? `${items.length - next} more` : "";
  };
  new IntersectionObserver(seen => {
    if (seen.some(s => s.isIntersecting) && next < items.length) {
      more();
      requestAnimationFrame(() => { if (rest.getBoundingClientRect().top < innerHeight + 600) more(); });
    }
  }, { rootMargin: "600px" }).observe(rest);
  return list => {
    host.replaceChildren(rest);
    items = list; next = 0;
    more();
  };
}
