// Filters, copy buttons and unfolding. The page is complete without it.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.getElementById("filter");

  // The address behind "#": a place on the page, and behind "?" what the filter is set to.
  function fromAddress() {
    const [raw, ...rest] = location.hash.slice(1).split("?");
    let place = raw;
    try { place = decodeURIComponent(raw); } catch { /* as it stands */ }
    return { place, settings: new URLSearchParams(rest.join("?")) };
  }

  // Opens what holds the place, and the place itself.
  function unfold(target) {
    if (!target) return;
    // Of runs that show the same, one has the tab.
    while (target.matches(".alias")) target = target.nextElementSibling;
    if (target.matches("input[type=radio]")) target.checked = true;
    const own = target.matches("details") ? target : target.querySelector(":scope > details");
    if (own) own.open = true;
    for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    (target.matches("input") ? target.closest("article") : target).scrollIntoView();
  }
  function followAddress() {
    const { place } = fromAddress();
    if (place) unfold(document.getElementById(place));
  }
  addEventListener("hashchange", followAddress);

  // Each run of a finding has an address of its own.
  document.addEventListener("change", (event) => {
    if (event.target.matches(".tabs > input")) {
      history.replaceState(null, "", `#${encodeURIComponent(event.target.id)}`);
    }
  });

  // On paper the violations are told in full.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = folded.concat(all(".bad > .account:not([open]), .more:not([open])"));
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => {
    folded.forEach((details) => { details.open = false; });
    folded = [];
  });

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

  const rows = all("tr[data-outcomes]").map((element) => ({
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

  function settings() {
    const out = new URLSearchParams();
    if (text.value.trim()) out.set("text", text.value.trim());
    if (level.value) out.set("level", level.value);
    if (area.value) out.set("area", area.value);
    if (boxes.some((box) => !box.checked)) {
      out.set("outcome", boxes.filter((box) => box.checked).map((box) => box.value).join(" "));
    }
    return out;
  }
  function apply() {
    const wanted = text.value.trim().toLowerCase();
    const outcomes = boxes.filter((box) => box.checked).map((box) => box.value);
    const isFiltered = settings().size > 0;
    let shown = 0;
    for (const row of rows) {
      const isShown = (!wanted || row.text.includes(wanted)) && (!level.value || row.level === level.value) &&
        (!area.value || row.area === area.value) && row.outcomes.some((outcome) => outcomes.includes(outcome));
      row.element.hidden = !isShown;
      shown += isShown ? 1 : 0;
    }
    for (const details of all("details.area")) {
      details.hidden = all("tr[data-outcomes]", details).every((row) => row.hidden);
      if (isFiltered && !details.hidden) details.open = true;
    }
    count.textContent = isFiltered ? `${shown} of ${rows.length} requirements` : "";
  }
  function keep() {
    const now = settings();
    history.replaceState(null, "", now.size > 0 ? `#requirements?${now}` : "#requirements");
    apply();
  }
  function restore() {
    const { settings: kept } = fromAddress();
    if (kept.size === 0) return;
    text.value = kept.get("text") ?? "";
    level.value = kept.get("level") ?? "";
    area.value = kept.get("area") ?? "";
    const outcomes = kept.get("outcome")?.split(" ");
    boxes.forEach((box) => { box.checked = !outcomes || outcomes.includes(box.value); });
    apply();
  }
  form.addEventListener("input", keep);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(keep));
  addEventListener("hashchange", restore);
  form.hidden = false;
  restore();
  followAddress();
})();
