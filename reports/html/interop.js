// Filters, kept in the address; and cells that open when somebody follows a link to them. The page
// is complete without it.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.getElementById("filter");
  const failed = document.getElementById("filter-failed");
  const count = document.getElementById("filter-count");
  const field = (key) => document.getElementById(`filter-${key}`);
  const keys = ["client", "server", "transport", "era", "gateway", "act"].filter(field);
  const articles = all("article[data-client]");

  const fits = (data, wanted) => keys.every((key) => {
    if (!wanted[key] || key === "act") return true;
    return data[key] === undefined || data[key] === wanted[key];
  });
  const fails = (data, act) => {
    const failing = (data.failing ?? "").split(" ").filter(Boolean);
    return act ? failing.includes(act) : failing.length > 0;
  };

  function filter() {
    const wanted = Object.fromEntries(keys.map((key) => [key, field(key).value]));
    const isShown = (data) => fits(data, wanted) && (!failed.checked || fails(data, wanted.act));
    for (const element of all("[data-client]:not(article)")) element.hidden = !fits({ client: element.dataset.client }, wanted);
    for (const element of all("[data-server]:not(article)")) element.hidden = !fits({ server: element.dataset.server }, wanted);
    for (const element of all(".line")) element.hidden = !isShown(element.dataset);
    for (const element of all("i[data-act]")) element.hidden = Boolean(wanted.act) && element.dataset.act !== wanted.act;
    for (const element of all("figure[data-act]")) element.hidden = Boolean(wanted.act) && element.dataset.act !== wanted.act;
    let shown = 0;
    for (const article of articles) {
      const isHere = isShown(article.dataset) && (!wanted.act || article.id || fails(article.dataset, wanted.act));
      article.hidden = !isHere;
      shown += isHere && article.id ? 1 : 0;
    }
    const total = articles.filter((article) => article.id).length;
    count.textContent = shown < total ? `${shown} of ${total} cells` : "";
  }

  function keep() {
    const now = new URLSearchParams();
    for (const key of keys) if (field(key).value) now.set(key, field(key).value);
    if (failed.checked) now.set("failed", "1");
    const place = location.hash.slice(1).split("?")[0];
    history.replaceState(null, "", now.size > 0 ? `#${place}?${now}` : `#${place}`);
  }

  // What an address leads to is unfolded, and in sight.
  function open() {
    const place = decodeURIComponent(location.hash.slice(1).split("?")[0]);
    const element = place ? document.getElementById(place) : null;
    if (!element) return;
    element.hidden = false;
    for (let each = element; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    const own = element.querySelector("details");
    if (own) own.open = true;
    element.scrollIntoView();
  }
  function restore() {
    const kept = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
    for (const key of keys) {
      const value = kept.get(key) ?? "";
      field(key).value = all("option", field(key)).some((option) => option.value === value) ? value : "";
    }
    failed.checked = kept.has("failed");
    filter();
    open();
  }

  // A link within the page keeps the filters.
  addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link) return;
    const kept = location.hash.split("?").slice(1).join("?");
    event.preventDefault();
    history.pushState(null, "", kept ? `${link.getAttribute("href")}?${kept}` : link.getAttribute("href"));
    open();
  });
  form.addEventListener("input", () => { filter(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);
  addEventListener("popstate", restore);
  form.hidden = false;
  restore();
})();
