
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Light and dark: as the system says until the button is used.
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", theme.textContent + " colours"); };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; label(); });
  system.addEventListener("change", label);
  theme.hidden = false;
  label();

  // A heading sorts its table: the first click in the direction of its data-first, the next in the other. Rows without a figure stay
  // last, rows that are equal keep their order.
  const words = new Intl.Collator("en", { numeric: true });
  const number = text => {
    if (text === "∞") return Infinity;
    const x = parseFloat(text.replace(/[,<]/g, "").replace(/−/g, "-"));
    return Number.isNaN(x) ? null : x;
  };
  const keyOf = (cell, isText) => {
    const text = cell.textContent.trim();
    if (text === "" || text === "–") return null;
    return isText ? text : number(cell.dataset.v ?? text);
  };
  for (const table of document.querySelectorAll("table.sort")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      button.addEventListener("click", () => {
        const first = button.dataset.first ?? "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const direction = head.getAttribute("aria-sort") === first ? other : first;
        const sign = direction === "ascending" ? 1 : -1;
        const isText = head.classList.contains("l");
        const rows = [...table.tBodies[0].rows].map(row => [keyOf(row.cells[column], isText), row]);
        rows.sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return sign * (isText ? words.compare(a, b) : a < b ? -1 : a > b ? 1 : 0);
        });
        for (const h of heads) h.setAttribute("aria-sort", h === head ? direction : "none");
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }

  // An entry of a legend brings its curve to the front: while the pointer rests on it, or until it is clicked again.
  for (const figure of document.querySelectorAll("figure.plot")) {
    const buttons = [...figure.querySelectorAll(".legend button")];
    const show = style => {
      if (style) figure.dataset.on = style; else delete figure.dataset.on;
      for (const curve of figure.querySelectorAll("svg .curve")) curve.classList.toggle("on", style !== undefined && curve.classList.contains(style));
    };
    const pressed = () => buttons.find(b => b.getAttribute("aria-pressed") === "true")?.dataset.style;
    for (const button of buttons) {
      button.addEventListener("pointerenter", () => show(button.dataset.style));
      button.addEventListener("pointerleave", () => show(pressed()));
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        for (const b of buttons) b.setAttribute("aria-pressed", String(on && b === button));
        show(pressed());
      });
    }
  }

  // Above what is wider than its place stands that it scrolls, until its end is reached.
  const hints = new Map();
  const hint = box => { hints.get(box).hidden = box.scrollWidth - box.clientWidth - box.scrollLeft < 2; };
  const sizes = new ResizeObserver(entries => { for (const entry of entries) hint(entry.target); });
  for (const box of document.querySelectorAll(".scroll")) {
    const text = document.createElement("p");
    text.className = "hint";
    text.textContent = "Scroll sideways for more →";
    hints.set(box, text);
    box.before(text);
    hint(box);
    box.addEventListener("scroll", () => hint(box), { passive: true });
    sizes.observe(box);
  }

  // Paper cannot be clicked: everything is open on it but the list of all runs.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open], .runs)")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
})();
