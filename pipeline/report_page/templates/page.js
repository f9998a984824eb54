"use strict";

// Light or dark: the reader's system says, unless a button was pressed.
(function () {
  const buttons = document.querySelectorAll(".theme button");
  const storage = "mgsa-report-theme";
  const themes = ["light", "dark"];
  function choose(theme) {
    if (themes.includes(theme)) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    }
  }
  let kept = null;
  try { kept = localStorage.getItem(storage); } catch { /* a reader may forbid it */ }
  choose(themes.includes(kept) ? kept : "auto");
  document.querySelector(".theme").hidden = false;
  for (const button of buttons) {
    button.addEventListener("click", () => {
      choose(button.dataset.theme);
      try { localStorage.setItem(storage, button.dataset.theme); } catch { /* as above */ }
    });
  }
})();

// The table of contents: folded on a phone, and marking the section that is being read.
(function () {
  const toggle = document.querySelector(".toc-toggle");
  const narrow = matchMedia("(max-width: 60rem)");
  const open = (is) => toggle.setAttribute("aria-expanded", String(is));
  toggle.hidden = false;
  open(!narrow.matches);
  narrow.addEventListener("change", () => open(!narrow.matches));
  toggle.addEventListener("click", () => open(toggle.getAttribute("aria-expanded") !== "true"));
  const links = new Map();
  for (const link of document.querySelectorAll(".toc a")) {
    links.set(link.hash.slice(1), link);
    link.addEventListener("click", () => { if (narrow.matches) open(false); });
  }
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target.id);
      else seen.delete(entry.target.id);
    }
    const current = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  for (const section of document.querySelectorAll("main > section")) observer.observe(section);
})();

// Charts: what Vega wrote of a mark ("update: 100; value: 3.2; rev: name"), under the pointer.
const parts = (mark) => mark.getAttribute("aria-label").split("; ");
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
for (const plot of document.querySelectorAll(".plot")) {
  plot.addEventListener("pointermove", (event) => {
    const mark = event.target.closest('[role="graphics-symbol"][aria-label]:not([aria-roledescription="axis"])');
    tip.hidden = !mark || mark.getAttribute("aria-roledescription") === "line mark";
    if (tip.hidden) return;
    tip.textContent = parts(mark).map((part) => part.replace(/^(rev|system|encoder): /, "")).join("\n");
    tip.style.left = `${Math.min(event.pageX + 12, innerWidth - tip.offsetWidth - 12)}px`;
    tip.style.top = `${event.pageY + 12}px`;
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// One system alone in every chart that draws it.
(function () {
  const buttons = document.querySelectorAll(".legend.systems button");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const system = button.dataset.system;
      const alone = button.getAttribute("aria-pressed") !== "true";
      for (const other of buttons) {
        other.setAttribute("aria-pressed", String(alone && other.dataset.system === system));
      }
      const systems = (mark) => parts(mark).filter((part) => /^(rev|system|encoder): /.test(part));
      for (const plot of document.querySelectorAll(".plot")) {
        const marks = [...plot.querySelectorAll('[role="graphics-symbol"][aria-label]')].filter((mark) => systems(mark).length);
        const is = (mark) => systems(mark).some((part) => part.endsWith(`: ${system}`));
        const has = marks.some(is);
        for (const mark of marks) mark.classList.toggle("faded", alone && has && !is(mark));
      }
    });
  }
})();

// The list of sentences: which are shown, and in which order.
(function () {
  const form = document.querySelector(".filters");
  if (!form) return;
  const list = document.querySelector(".sentences");
  const nothing = document.querySelector(".nothing");
  const more = document.querySelector(".more-sentences");
  const portion = 10;
  let limit = portion;
  const sentences = [...list.children].map((item) => ({
    item,
    outputs: [...item.querySelectorAll(".output")],
    texts: [...item.querySelectorAll(".texts:not(.outputs) .searched")].map((text) => text.textContent.toLowerCase()),
  }));
  for (const sentence of sentences) {
    for (const output of sentence.outputs) {
      // What is struck through is the reference's, not the output's.
      const text = output.querySelector(".searched").cloneNode(true);
      for (const missing of text.querySelectorAll("del")) missing.remove();
      output.searched = text.textContent.toLowerCase();
    }
  }
  const value = (name) => (form.elements[name] ? form.elements[name].value : "");
  const number = (name, otherwise) => (value(name) === "" ? otherwise : Number(value(name)));
  function scoreOf(sentence, system) {
    if (system === "all") return Number(sentence.item.dataset.score);
    const output = sentence.outputs.find((one) => one.dataset.system === system);
    return Number(output.dataset.score);
  }
  function apply() {
    const text = value("text").trim().toLowerCase();
    const system = value("system") || "all";
    const chosen = value("list");
    let count = 0;
    for (const sentence of sentences) {
      const data = sentence.item.dataset;
      const shown = sentence.outputs.filter((one) => system === "all" || one.dataset.system === system);
      for (const output of sentence.outputs) output.hidden = !shown.includes(output);
      const score = scoreOf(sentence, system);
      const key = chosen === "different" ? "all" : system;
      const fits = (!chosen || (data[chosen] || "").split(" ").includes(key))
        && (!text || sentence.texts.some((one) => one.includes(text)) || shown.some((one) => one.searched.includes(text)))
        && Number(data.length) >= number("shortest", 0) && Number(data.length) <= number("longest", Infinity)
        && score >= number("lowest", -Infinity) && score <= number("highest", Infinity);
      sentence.item.hidden = !fits;
      count += fits;
    }
    form.elements.count.value = String(count);
    nothing.hidden = count > 0;
    const order = value("order");
    const by = order.replace("-", "");
    const rank = (sentence) => (by === "score" ? scoreOf(sentence, system) : Number(sentence.item.dataset[by]));
    const sign = order.startsWith("-") ? -1 : 1;
    sentences.sort((a, b) => sign * (rank(a) - rank(b)) || Number(a.item.dataset.index) - Number(b.item.dataset.index));
    list.append(...sentences.map((sentence) => sentence.item));
    fold();
  }
  function fold() {
    const fitting = sentences.filter((sentence) => !sentence.item.hidden);
    fitting.forEach((sentence, i) => sentence.item.classList.toggle("later", i >= limit));
    const left = fitting.length - limit;
    more.hidden = left <= 0;
    more.textContent = `Show ${Math.min(left, 2 * portion)} more`;
  }
  form.hidden = false;
  form.addEventListener("input", () => { limit = portion; apply(); });
  more.addEventListener("click", () => {
    const first = sentences.filter((sentence) => !sentence.item.hidden)[limit];
    limit += 2 * portion;
    fold();
    first.item.tabIndex = -1;
    first.item.focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { limit = portion; apply(); }));
  nothing.querySelector("button").addEventListener("click", () => form.reset());
  apply();
})();
