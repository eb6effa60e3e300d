// How the search orders what it finds: entries of the reference (docs/generators/entries.py) before everything else,
// one that is called exactly as was asked first of all, then as Sphinx does.
var Scorer = {
  score: ([, name, , description, score]) => {
    if (!/^(key|figure|term) of /.test(description ?? "")) return score;
    const asked = new URLSearchParams(location.search).get("q") ?? "";
    return score + (name.toLowerCase() === asked.trim().toLowerCase() ? 400 : 200);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
