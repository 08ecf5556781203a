// Sorting and filtering. The page is complete without it.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.getElementById("filter");
  const text = document.getElementById("filter-text");
  const failed = document.getElementById("filter-failed");
  const count = document.getElementById("filter-count");
  const rows = all("tbody tr").map((element, place) =>
    ({ element, place, text: element.textContent.toLowerCase(), isFailed: element.dataset.state === "failed" }));
  let sorted = "";  // "2", the column; "-2", the other way round; "": as the page came

  function filter() {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const isShown = (!wanted || row.text.includes(wanted)) && (!failed.checked || row.isFailed);
      row.element.hidden = !isShown;
      shown += isShown ? 1 : 0;
    }
    count.textContent = shown < rows.length ? `${shown} of ${rows.length}` : "";
  }

  // The worst first, and names from A to Z.
  function sort() {
    const column = Math.abs(Number(sorted));
    const sign = sorted.startsWith("-") ? -1 : 1;
    const key = (row) => row.element.cells[column];
    const order = [...rows].sort((a, b) => {
      if (sorted === "") return a.place - b.place;
      if (column === 0) return sign * key(a).textContent.localeCompare(key(b).textContent);
      return sign * (Number(key(b).dataset.rank) - Number(key(a).dataset.rank)) || a.place - b.place;
    });
    for (const row of order) row.element.parentElement.append(row.element);
    for (const head of all("thead tr")) {
      all("th", head).forEach((cell, index) => {
        if (sorted === "" || index !== column) cell.removeAttribute("aria-sort");
        else cell.setAttribute("aria-sort", (sign > 0) === (column === 0) ? "ascending" : "descending");
      });
    }
  }

  function keep() {
    const now = new URLSearchParams();
    if (text.value.trim()) now.set("text", text.value.trim());
    if (failed.checked) now.set("failed", "1");
    if (sorted !== "") now.set("sort", sorted);
    history.replaceState(null, "", now.size > 0 ? `#?${now}` : "#");
  }
  function restore() {
    const kept = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
    text.value = kept.get("text") ?? "";
    failed.checked = kept.has("failed");
    const columns = all("thead tr:first-child th").length;
    const wanted = kept.get("sort") ?? "";
    sorted = /^-?\d{1,4}$/.test(wanted) && Math.abs(Number(wanted)) < columns ? wanted : "";
    filter();
    sort();
  }

  for (const head of all("thead tr")) {
    all("th", head).forEach((cell, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      button.addEventListener("click", () => {
        sorted = sorted === String(index) ? `-${index}` : String(index);
        sort();
        keep();
      });
      cell.append(button);
    });
  }
  form.addEventListener("input", () => { filter(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);
  form.hidden = false;
  restore();
})();
