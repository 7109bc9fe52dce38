// The question page: what was asked in this browser, copies, the tabs of the sources, and what to ask next. Without it
// the page works by its links.
"use strict";

const MOST = 30; // Questions that are remembered.
const kept = `asked ${document.querySelector(".folder").textContent}`;
const asked = JSON.parse(localStorage.getItem(kept) ?? "[]");
const question = document.querySelector(".answer h1")?.textContent;
if (question) {
  const all = [question, ...asked.filter((one) => one !== question)].slice(0, MOST);
  localStorage.setItem(kept, JSON.stringify(all));
}
document.getElementById("asked").append(...asked.map((one) => new Option("", one)));

for (const link of document.querySelectorAll("[data-copy]")) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      const text = link.dataset.copy === "link" ? link.href : await (await fetch(link.href)).text();
      await navigator.clipboard.writeText(text);
      link.textContent = "Copied";
    } catch {
      location.assign(link.href); // a page without encryption may not write to the clipboard
    }
  });
}

const sources = document.querySelector(".sources");
function show(id, isAsked) {
  for (const one of sources.querySelectorAll("section")) one.classList.toggle("shown", `#${one.id}` === id);
  for (const tab of sources.querySelectorAll("nav a")) {
    if (tab.hash === id) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  const page = sources.querySelector(".shown .page");
  const mark = page?.querySelector("mark");
  if (mark) page.scrollTop = mark.offsetTop - page.clientHeight / 3;
  if (isAsked && sources.getBoundingClientRect().left < 100) sources.scrollIntoView({ block: "start" });
}
if (sources) {
  sources.classList.add("live");
  for (const link of document.querySelectorAll('a[href^="#source-"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(link.hash, true);
    });
  }
  show(location.hash.startsWith("#source-") ? location.hash : sources.querySelector("nav a").hash, false);
}

const next = document.getElementById("next");
if (next) {
  fetch(next.dataset.at)
    .then((answer) => (answer.ok ? answer.text() : ""))
    .then((text) => {
      next.lastElementChild.innerHTML = text; // made and escaped by the server
      next.hidden = !text.trim();
    });
}

const waiting = document.getElementById("waiting");
async function look() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const found = page.getElementById("waiting");
  if (found) setTimeout(look, 2000);
  else waiting.replaceWith(page.querySelector("main .chips") ?? "");
}
if (waiting) setTimeout(look, 1000);
