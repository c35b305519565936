// The page of a cluster that runs: it draws the state that came with it, and every state
// that the stream /live brings.
const tag = (text, kind) => el("span", { class: "tag " + (kind || "") }, text);
const stateKind = s => s === "AVAILABLE" ? "good" : s === "END" ? "" : "warn";

// An address that has the token in it is none that fetch takes; the origin has no token.
async function act(path, body) {
  const said = document.getElementById("said");
  try {
    const answer = await fetch(location.origin + path, { method: "POST", body: JSON.stringify(body) });
    said.textContent = answer.ok ? "" : (await answer.json()).error;
  } catch (e) {
    said.textContent = String(e);
  }
}

const button = (text, path, body) => el("button", { onclick: () => act(path, body) }, text);

function row(list, name, value) {
  if (value) list.append(el("dt", {}, name), el("dd", {}, value));
}

function modelLine(m) {
  return el("div", { class: "model" }, el("span", { class: "mono" }, (m.kind ? m.kind + " " : "") + m.model),
    ...m.versions.map(v => {
      const t = tag(v.version + " " + v.state + (v.error ? " !" : ""), v.error ? "bad" : stateKind(v.state));
      if (v.error) t.title = v.error;
      return t;
    }));
}

function podCard(p) {
  const list = el("dl");
  row(list, "agent", p.agent);
  for (const s of p.model_servers) row(list, s.kind || "model server", s.grpc + (s.serving ? "" : " (not serving)"));
  row(list, "starts", String(p.starts));
  const state = p.running ? tag("running", "good") : tag(p.starts ? "ended " + p.exit_code : "not started", p.starts ? "bad" : "warn");
  const named = { pod: p.name };
  return el("section", { class: "card" }, el("h3", {}, p.name, state), list, ...p.models.map(modelLine),
    el("div", { class: "buttons" }, ...(p.running ? [
      button("Kill", "/pods/kill", named), button("Restart", "/pods/restart", named), button("Expire session", "/sessions/expire", named),
      ...p.model_servers.map(s => button("Kill " + (s.kind || "model server"), "/modelservers/kill", { pod: p.name, kind: s.kind })),
    ] : [button("Start", "/pods/start", named)])));
}

function table(heads, rows) {
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads.map(h => el("th", {}, h)))),
    el("tbody", {}, ...(rows.length ? rows : [[el("span", { class: "hint" }, "none")]]).map(cells =>
      el("tr", {}, ...cells.map(c => el("td", { class: "mono", colspan: cells.length < heads.length ? heads.length : undefined }, c))))));
}

// place fills an element, keeping where it was scrolled to.
function place(id, node) {
  const host = document.getElementById(id), top = host.scrollTop;
  host.replaceChildren(node);
  host.scrollTop = top;
}

function draw(v) {
  const name = pod => (v.pods.find(p => pod && pod.startsWith(p.ip + ":")) || { name: pod }).name;
  document.getElementById("clock").textContent = v.now_sec.toFixed(1) + "s" + (v.speed === 1 ? "" : ", " + v.speed + "x the clock");
  document.getElementById("failure").textContent = v.failure || "";
  const pods = document.getElementById("pods");
  const text = JSON.stringify(v.pods);
  if (pods.dataset.drawn !== text) { // buttons under a pointer stay while nothing changes
    pods.dataset.drawn = text;
    pods.replaceChildren(...v.pods.map(podCard));
  }
  document.getElementById("zookeeper").textContent = v.zookeeper ? "ZooKeeper " + v.zookeeper : "ZooKeeper is down";
  place("sessions", table(["session", "client", "timeout", "expires in", "ephemerals"], v.sessions.map(s =>
    [s.session, name(s.client) || "", s.timeout_ms / 1000 + "s", (s.expires_in_ms / 1000).toFixed(1) + "s", s.ephemerals.join("\n")])));
  place("services", table(["service", "pods", "addresses"], v.services.map(s => [s.key, s.pods.join(", "), s.addrs.join(", ")])));
  place("events", table(["time", "who", "what", "", ""], v.events.slice().reverse().map(e =>
    [e.at_sec.toFixed(3) + "s", e.pod, e.op, e.path || "", e.note || ""])));
}

const first = JSON.parse(dataLines()[0]);
document.getElementById("page").replaceChildren(
  el("header", {}, el("h1", {}, first.title || "cluster"), el("span", { class: "clock", id: "clock" }), el("span", { class: "hint mono", id: "zookeeper" }), el("span", { class: "gone", id: "failure" })),
  el("p", { id: "said", role: "status" }),
  el("h2", {}, "Pods"), el("div", { class: "grid", id: "pods" }),
  el("h2", {}, "Service map"), el("div", { class: "scroll", id: "services" }),
  el("h2", {}, "ZooKeeper sessions"), el("div", { class: "scroll", id: "sessions" }),
  el("h2", {}, "Last events"), el("div", { class: "scroll tall", id: "events" }));
if (first.pods) draw(first);
const stream = new EventSource(location.origin + "/live");
stream.onmessage = m => {
  const v = JSON.parse(m.data);
  if (v.pods) draw(v);
};
stream.onerror = () => { document.getElementById("failure").textContent = "The cluster does not answer."; };
