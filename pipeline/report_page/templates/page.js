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

// Charts: the numbers under the pointer, or under a line that the arrow keys move.
for (const figure of document.querySelectorAll("figure.chart")) {
  const plot = figure.querySelector(".plot");
  const cursor = plot.querySelector(".cursor");
  const tip = plot.querySelector(".tip");
  const [low, high] = figure.dataset.domain.split(" ").map(Number);
  const [left, right, , , width] = figure.dataset.plot.split(" ").map(Number);
  const names = [...figure.querySelectorAll("thead th")].slice(1).map((th) => th.textContent);
  const rows = [...figure.querySelectorAll("tr[data-x]")];
  const places = rows.map((row) => left + (Number(row.dataset.x) - low) / (high - low) * (right - left));
  let current = -1;
  function show(index) {
    current = index;
    const row = rows[index];
    const values = [...row.querySelectorAll("td")].map((td) => td.textContent);
    const lines = values.map((value, i) => value && (names.length > 1 ? `${names[i]}: ${value}` : value));
    tip.textContent = [`${figure.dataset.xName} ${row.querySelector("th").textContent}`, ...lines].filter(Boolean).join("\n");
    cursor.setAttribute("x1", places[index]);
    cursor.setAttribute("x2", places[index]);
    cursor.removeAttribute("hidden");
    tip.hidden = false;
    const share = places[index] / width;
    tip.style.left = share < 0.5 ? `${100 * share + 2}%` : "auto";
    tip.style.right = share < 0.5 ? "auto" : `${100 * (1 - share) + 2}%`;
  }
  function hide() {
    current = -1;
    tip.hidden = true;
    cursor.setAttribute("hidden", "");
  }
  plot.tabIndex = 0;
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", `${figure.querySelector("figcaption").textContent.trim()}: arrow keys read the numbers`);
  tip.setAttribute("aria-live", "polite");
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width * width;
    let nearest = 0;
    places.forEach((place, i) => { if (Math.abs(place - at) < Math.abs(places[nearest] - at)) nearest = i; });
    show(nearest);
  });
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: current + 1, ArrowLeft: current < 0 ? rows.length - 1 : current - 1, Home: 0, End: rows.length - 1 };
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    show(Math.min(Math.max(steps[event.key], 0), rows.length - 1));
  });
}

// One system alone in every chart and table that draws it.
(function () {
  const buttons = document.querySelectorAll(".legend.systems button");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const system = button.dataset.system;
      const alone = button.getAttribute("aria-pressed") !== "true";
      for (const other of buttons) {
        other.setAttribute("aria-pressed", String(alone && other.dataset.system === system));
      }
      for (const drawing of document.querySelectorAll("figure.chart, table")) {
        const drawn = [...drawing.querySelectorAll("[data-of-system]")];
        const has = drawn.some((one) => one.dataset.ofSystem === system);
        for (const one of drawn) one.classList.toggle("faded", alone && has && one.dataset.ofSystem !== system);
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
