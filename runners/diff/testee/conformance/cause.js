// Draws the page of WriteHTML: for each subject its counts, its causes, and below each cause the
// failures with question and answers, which are drawn when they are opened.
function failureOf(subject, id) {
  const failure = subject.failures.find(f => f.id === id);
  const lines = text => el("pre", {}, ...text.split("\n").map(line =>
    el("span", {class: line.startsWith("- ") ? "expected" : line.startsWith("+ ") ? "came" : ""}, line + "\n")));
  return [el("h4", {}, "asked"), lines(failure.asked), el("h4", {}, "answer: - expected, + the testee's"), lines(failure.text)];
}

function opened(title, draw, open) {
  const box = el("details", {}, el("summary", {}, title));
  const fill = () => { if (box.open && box.childElementCount === 1) box.append(...draw()); };
  box.addEventListener("toggle", fill);
  if (open) { box.open = true; fill(); }
  return box;
}

function causeOf(subject, cause, i) {
  const about = [["differ by", cause.kinds], ["in place of", cause.instead], ["at", cause.places], ["of", cause.ops], ["see", cause.lines]];
  return opened(`${i + 1}. ${cause.cause}: ${cause.failures.length} failures, ${cause.alone} by it alone, ${cause.left} left without it`, () => [
    el("dl", {}, ...about.filter(([, all]) => all).flatMap(([name, all]) => [el("dt", {}, name), el("dd", {}, all.join(", "))])),
    opened("smallest: " + cause.example, () => failureOf(subject, cause.example), true),
    ...cause.failures.filter(id => id !== cause.example).map(id => opened(id, () => failureOf(subject, id))),
  ]);
}

document.getElementById("page").replaceChildren(el("h1", {}, "monosim diff"), ...dataLines().map(JSON.parse).flatMap(subject => {
  const c = subject.counts, row = (tag, ...cells) => el("tr", {}, ...cells.map(cell => el(tag, {}, String(cell))));
  return [
    el("h2", {}, subject.name),
    el("p", {}, `${c.passed} passed, ${c.failed} failed, ${c.explained} explained, ${c.skipped} skipped` +
      (subject.ignored ? `; ${subject.ignored} passed because of what is ignored` : "")),
    el("h3", {}, subject.causes.length + " causes"),
    ...subject.causes.map((cause, i) => causeOf(subject, cause, i)),
    el("h3", {}, "Operations"),
    el("table", {}, row("th", "operation", "passed", "failed", "explained", "skipped"),
      ...subject.ops.filter(o => o.passed + o.failed + o.explained > 0).map(o => row("td", o.name, o.passed, o.failed, o.explained, o.skipped))),
  ];
}));
