"use strict";
// Filters, sorts and opens; everything can be read without it.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // --- the filter ---

  const bar = byId("filter");
  const find = byId("find");
  const outcome = byId("outcome");
  const severity = byId("severity");
  const shown = byId("shown");

  const bodies = new Map(all(".details > details").map((details) => [details.dataset.tool, details]));
  const tools = all(".matrix tbody tr").map((row) => {
    const details = bodies.get(row.dataset.tool);
    const text = `${row.textContent} ${details.textContent}`.toLowerCase();
    return { row, details, text, outcome: row.dataset.outcome, severity: row.dataset.severity };
  });
  const findings = all(".finding").map((item) => ({
    item,
    text: item.textContent.toLowerCase(),
    severity: item.dataset.severity,
  }));
  const number = new Intl.NumberFormat("en");

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.includes(word));
    let count = 0;
    for (const tool of tools) {
      const found =
        matches(tool.text) &&
        (!outcome.value || tool.outcome === outcome.value) &&
        (!severity.value || tool.severity === severity.value);
      tool.row.hidden = tool.details.hidden = !found;
      count += found;
    }
    for (const finding of findings) {
      finding.item.hidden =
        !matches(finding.text) || Boolean(severity.value && finding.severity !== severity.value) || Boolean(outcome.value);
    }
    const narrowed = words.length > 0 || outcome.value || severity.value;
    for (const part of all("section.surface, .filtered")) {
      part.hidden =
        Boolean(narrowed) && !part.querySelector(":is(.matrix tbody tr, .details > details, .finding):not([hidden])");
    }
    for (const link of all("nav a")) link.parentElement.hidden = byId(link.hash.slice(1)).parentElement.hidden;
    const total = number.format(tools.length);
    shown.textContent = narrowed ? `${number.format(count)} of ${total} tools` : "";
  }

  if (bar) {
    bar.hidden = false;
    bar.addEventListener("input", filter);
    // A browser fills the fields in again when it goes back to the page.
    addEventListener("pageshow", filter);
    const below = () => document.documentElement.style.setProperty("--below", `${bar.offsetHeight}px`);
    new ResizeObserver(below).observe(bar);
  }

  // --- opening ---

  const open = byId("open");
  open?.addEventListener("click", () => {
    const opens = open.getAttribute("aria-pressed") !== "true";
    open.setAttribute("aria-pressed", String(opens));
    for (const details of bodies.values()) details.open = opens;
  });

  function reveal() {
    const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    const details = target && target.closest("details");
    if (!details) return;
    details.open = true;
    const summary = details.querySelector("summary");
    summary.scrollIntoView({ block: "start" });
    summary.focus({ preventScroll: true });
  }
  addEventListener("hashchange", reveal);
  // A second click on the same link changes no address.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });
  reveal();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });

  // --- sorting ---

  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const compare = (a, b) => (a === "" || b === "" ? (a === "") - (b === "") : order.compare(a, b));

  for (const table of all(".matrix")) {
    const heads = all("thead th", table);
    const body = table.tBodies[0];
    const declared = [...body.rows];
    table.classList.add("sortable");
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      const figures = head.classList.contains("figure") || head.dataset.sort === "findings";
      // Figures begin with the largest; a third click gives the order of declaration back.
      const turns = figures ? ["descending", "ascending"] : ["ascending", "descending"];
      button.addEventListener("click", () => {
        const next = turns[turns.indexOf(head.getAttribute("aria-sort")) + 1];
        for (const other of heads) other.removeAttribute("aria-sort");
        let rows = declared;
        if (next) {
          head.setAttribute("aria-sort", next);
          const sign = next === "ascending" ? 1 : -1;
          const value = (row) => row.cells[column].dataset.value;
          rows = [...declared].sort((a, b) => {
            const [first, second] = [value(a), value(b)];
            // What has no value comes last either way.
            return first === "" || second === "" ? compare(first, second) : sign * compare(first, second);
          });
        }
        body.append(...rows);
      });
    });
  }
})();
