// What the theme's pages lack for readers who hear them, or have no mouse (found by axe-core).
document.addEventListener("DOMContentLoaded", () => {
  // Captions of the table of contents say that they are headings, without a level.
  for (const caption of document.querySelectorAll('.caption[role="heading"]')) {
    caption.setAttribute("aria-level", "2");
  }
  // Two landmarks of one kind are told apart by their names.
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "This page");
  // What scrolls sideways can be scrolled by keys once it has the focus.
  for (const wide of document.querySelectorAll(".highlight pre, .table-wrapper, div.math, div.cell_output")) {
    wide.setAttribute("tabindex", "0");
  }
  // An empty cell above the index of a pandas table heads nothing.
  for (const empty of document.querySelectorAll("thead th:empty")) {
    empty.replaceWith(document.createElement("td"));
  }
  // The page of the search has results alone.
  const main = document.querySelector('[role="main"]');
  if (main !== null && document.querySelector("h1") === null) {
    main.prepend(Object.assign(document.createElement("h1"), { textContent: "Search" }));
  }
});
