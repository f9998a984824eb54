"use strict";

// Pages are fetched and put in place, so that what is typed, focused and unfolded stays.
// Without this script the links and the form do the same by loading them.
const folds = () => [...document.querySelectorAll("main details")];
let latest = 0;

async function show(url) {
  const turn = ++latest;
  document.querySelector("main").ariaBusy = "true";
  const answer = await fetch(url);
  const text = await answer.text();
  if (turn !== latest) return; // another was asked for meanwhile
  const page = new DOMParser().parseFromString(text, "text/html");
  const { id } = document.activeElement;
  const open = new Set(folds().map((fold, n) => (fold.open ? n : -1)));
  const main = page.querySelector("main");
  if (!main) throw new Error(answer.statusText);
  document.querySelector("main").replaceWith(main);
  document.title = page.title;
  folds().forEach((fold, n) => { fold.open = open.has(n); });
  if (id) (document.getElementById(id) ?? form.elements.text).focus();
}

function go(url) {
  history.pushState(null, "", url);
  show(url).catch(() => location.assign(url)); // the browser says what is wrong
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("main a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.href);
});
const form = document.querySelector("form");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(`/?${new URLSearchParams(new FormData(form))}`);
});
addEventListener("popstate", () => {
  form.elements.text.value = new URLSearchParams(location.search).get("text") ?? "";
  show(location.href);
});
