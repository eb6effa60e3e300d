// Tables of a report: sorted by a click on a column's name, filtered by words and by what a column says.
"use strict";

(() => {
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      // A button is reached and pressed by keyboard; Tablesort hears the click on the cell around it.
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
    }
    new Tablesort(table);
    for (const head of table.tHead.rows[0].cells) {
      head.removeAttribute("tabindex");
      head.setAttribute("scope", "col");
    }
  }

  for (const form of document.querySelectorAll("form.filter")) {
    const table = document.getElementById(form.dataset.table);
    const rows = [...table.tBodies[0].rows];
    const count = form.querySelector("output");
    const filter = () => {
      const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const choices = [...form.querySelectorAll("select")].filter((choice) => choice.value);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const chosen = choices.every((choice) => row.dataset[choice.name] === choice.value);
        row.hidden = !chosen || !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    filter();
  }

  // A link to something inside a closed part opens it.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
})();
