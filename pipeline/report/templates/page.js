"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const press = (button, on) => button.setAttribute("aria-pressed", String(on));

// Light or dark: the reader's system says, unless a button was pressed.
const themes = all(".theme button");
document.querySelector(".theme").hidden = false;
for (const button of themes) {
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = button.dataset.theme;
    for (const other of themes) press(other, other === button);
  });
}

// The table of contents: folded on a phone, and marking the section a quarter down the window.
const toggle = document.querySelector(".toc-toggle");
const narrow = matchMedia("(max-width: 60rem)");
const unfold = (on) => toggle.setAttribute("aria-expanded", String(on));
toggle.hidden = false;
unfold(!narrow.matches);
narrow.addEventListener("change", () => unfold(!narrow.matches));
toggle.addEventListener("click", () => unfold(toggle.getAttribute("aria-expanded") === "false"));
for (const link of all(".toc a")) link.addEventListener("click", () => unfold(!narrow.matches));
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    document.querySelector(`.toc a[href="#${target.id}"]`).ariaCurrent = isIntersecting ? "true" : null;
  }
}, { rootMargin: "-25% 0px -74% 0px" });
for (const section of all("main > section")) observer.observe(section);

// Sections fold on a phone, all but the first; a link unfolds its own.
const phone = matchMedia("(max-width: 40rem)").matches;
const foldOf = (section) => section.querySelector(".fold");
for (const section of all("main > section")) {
  const fold = foldOf(section);
  fold.hidden = false;
  fold.ariaExpanded = String(!phone || !section.previousElementSibling);
  fold.addEventListener("click", () => { fold.ariaExpanded = String(fold.ariaExpanded === "false"); });
}
const unfoldLinked = () => {
  const linked = document.getElementById(location.hash.slice(1))?.closest("main > section");
  if (linked) foldOf(linked).ariaExpanded = "true";
};
addEventListener("hashchange", unfoldLinked);
unfoldLinked();

// Charts: what Vega wrote of a mark ("update: 100; value: 3.2; rev: name"), under the pointer.
const SYSTEM = /^(rev|system|encoder): /;
const parts = (mark) => mark.ariaLabel.split("; ");
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
for (const plot of all(".plot")) {
  plot.addEventListener("pointermove", (event) => {
    const mark = event.target.closest('[role="graphics-symbol"][aria-label]:not([aria-roledescription="axis"])');
    tip.hidden = !mark || mark.ariaRoleDescription === "line mark";
    if (tip.hidden) return;
    tip.textContent = parts(mark).map((part) => part.replace(SYSTEM, "")).join("\n");
    tip.style.left = `${Math.min(event.pageX + 12, innerWidth - tip.offsetWidth - 12)}px`;
    tip.style.top = `${event.pageY + 12}px`;
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// One system alone in every chart that draws it.
const systems = all(".legend.systems button");
for (const button of systems) {
  button.addEventListener("click", () => {
    const { system } = button.dataset;
    const alone = button.ariaPressed === "false";
    for (const other of systems) press(other, alone && other.dataset.system === system);
    const of = (mark) => parts(mark).filter((part) => SYSTEM.test(part)).map((part) => part.replace(SYSTEM, ""));
    for (const plot of all(".plot")) {
      const marks = all('[role="graphics-symbol"][aria-label]', plot).filter((mark) => of(mark).length);
      const drawn = marks.some((mark) => of(mark).includes(system));
      for (const mark of marks) mark.classList.toggle("faded", alone && drawn && !of(mark).includes(system));
    }
  });
}

// The list of sentences: which are shown, in which order, and how many at once.
const form = document.querySelector(".filters");
if (form) {
  const fields = form.elements;
  const list = document.querySelector(".sentences");
  const more = document.querySelector(".more-sentences");
  const items = [...list.children];
  const value = (name) => (fields[name] ? fields[name].value : "");
  // What is struck through is the reference's, not the output's.
  const text = (dd) => [...dd.childNodes].filter((node) => node.nodeName !== "DEL").map((node) => node.textContent).join("");
  const between = (number, from, to) => Number(number) >= (value(from) || -Infinity) && Number(number) <= (value(to) || Infinity);
  let limit = 10;

  function fits(item, system) {
    for (const output of all(".output", item)) output.hidden = system && output.dataset.system !== system;
    item.dataset.shown = (system ? all(".output:not([hidden])", item)[0] : item).dataset.score;
    const texts = all(".texts > dd, .output:not([hidden]) dd", item).map((dd) => text(dd).toLowerCase());
    return item.dataset.lists.includes(value("list"))
      && texts.some((one) => one.includes(value("text").trim().toLowerCase()))
      && between(item.dataset.length, "shortest", "longest")
      && between(item.dataset.shown, "lowest", "highest");
  }
  function apply() {
    const key = value("order").replace("-", "").replace("score", "shown");
    const sign = value("order").startsWith("-") ? -1 : 1;
    for (const item of items) item.hidden = !fits(item, value("system"));
    items.sort((a, b) => sign * (a.dataset[key] - b.dataset[key]) || a.dataset.index - b.dataset.index);
    list.append(...items);
    const fitting = items.filter((item) => !item.hidden);
    fitting.forEach((item, place) => item.classList.toggle("later", place >= limit));
    fields.count.value = fitting.length;
    document.querySelector(".nothing").hidden = fitting.length > 0;
    more.hidden = fitting.length <= limit;
    more.textContent = `Show ${Math.min(fitting.length - limit, 20)} more`;
  }
  form.hidden = false;
  form.addEventListener("input", () => { limit = 10; apply(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  more.addEventListener("click", () => { limit += 20; apply(); });
  apply();
}
