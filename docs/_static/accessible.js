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
});
