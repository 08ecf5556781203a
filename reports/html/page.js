// Filters, copy buttons and unfolding. The page is complete without it.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.getElementById("filter");

  function unfold(target) {
    const details = target && (target.closest("details") || target.querySelector(":scope > details"));
    if (details) details.open = true;
  }
  function followHash() {
    unfold(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  }
  addEventListener("hashchange", followHash);
  followHash();

  // What is folded would be missing on paper.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = folded.concat(all("details:not([open])"));
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => {
    folded.forEach((details) => { details.open = false; });
    folded = [];
  });

  if (!form) return;
  const items = all("[data-outcomes]").map((element) => ({
    element,
    outcomes: element.dataset.outcomes.split(" "),
    level: element.dataset.level,
    area: element.dataset.area,
    text: element.textContent.toLowerCase(),
  }));
  const text = document.getElementById("filter-text");
  const level = document.getElementById("filter-level");
  const area = document.getElementById("filter-area");
  const boxes = all('input[name="outcome"]', form);
  const count = document.getElementById("filter-count");

  function apply() {
    const wanted = text.value.trim().toLowerCase();
    const outcomes = boxes.filter((box) => box.checked).map((box) => box.value);
    const isFiltered = wanted || level.value || area.value || outcomes.length < boxes.length;
    let shown = 0;
    let total = 0;
    for (const item of items) {
      const isShown = (!wanted || item.text.includes(wanted)) &&
        (!level.value || item.level === level.value) && (!area.value || item.area === area.value) &&
        item.outcomes.some((outcome) => outcomes.includes(outcome));
      item.element.hidden = !isShown;
      if (item.element.tagName === "TR") {
        total += 1;
        shown += isShown ? 1 : 0;
      }
    }
    for (const details of all("details.area")) {
      const rows = all("tr[data-outcomes]", details);
      details.hidden = rows.every((row) => row.hidden);
      if (isFiltered && !details.hidden) details.open = true;
    }
    count.textContent = isFiltered ? `${shown} of ${total} requirements` : "";
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.hidden = false;

  for (const command of all("pre.command")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    });
    command.previousElementSibling.append(button);
  }
})();
