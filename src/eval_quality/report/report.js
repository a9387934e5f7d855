
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.remove("no-script");
  const text = document.getElementById("filter-text");
  const choice = document.getElementById("filter-choice");
  const told = document.getElementById("filter-told");
  const probes = [...document.querySelectorAll("[data-probe]")];
  const details = probes.filter((each) => each.tagName === "DETAILS");
  const words = new Map(details.map((each) => [each.dataset.probe, each.textContent.toLowerCase()]));
  const fits = (each, wanted, kind) =>
    (kind === "all" || each.dataset.kind === kind || (kind === "attention" && each.dataset.attention === "yes")) &&
    wanted.every((word) => (words.get(each.dataset.probe) || "").includes(word));
  const apply = () => {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const each of probes) {
      each.hidden = !fits(each, wanted, choice.value);
      shown += !each.hidden && each.tagName === "DETAILS";
    }
    told.textContent = `${shown} of ${details.length} probes shown`;
  };
  if (text) {
    let pending = 0;
    text.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(apply, 120); });
    choice.addEventListener("change", apply);
    const setAll = (open) => details.forEach((each) => { if (!each.hidden) each.open = open; });
    document.getElementById("open-all").addEventListener("click", () => setAll(true));
    document.getElementById("close-all").addEventListener("click", () => setAll(false));
    apply();
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") { target.hidden = false; target.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  reveal();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")].filter((each) => !each.hidden);
    opened.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => { opened.forEach((each) => { each.open = false; }); opened = []; });
})();
