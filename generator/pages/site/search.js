// The search box. Without scripts it stays hidden, and the pages by month, aspect and
// technician lead to every review. On the front page it leads to /reviews/, where it
// asks /api/reviews/search; the address of the page holds the whole search.
"use strict";
(() => {
  const box = document.getElementById("_search");
  if (!box) return;
  const home = "/reviews/";
  const words = {}; // of another language; a build fills them in
  const lang = document.documentElement.lang || "en";
  const text = (english, ...values) => (words[english] ?? english).replace(/%(?:\[(\d)\])?s/g, (_, n) => n ? values[n - 1] : values.shift());
  const languages = new Intl.DisplayNames(lang, { type: "language" });
  const number = (n) => n.toLocaleString(lang);
  const reviews = (n) => {
    const form = "review." + new Intl.PluralRules(lang).select(n);
    return (words[form] || (n === 1 ? "%s review" : words["review.other"] || "%s reviews")).replace("%s", number(n));
  };
  const names = JSON.parse(box.dataset.names || "{}");
  const filters = ["rating", "min_rating", "max_rating", "since", "until", "mentions_technician", "mentions_service",
    "mentions_service_area", "aspect", "sentiment", "language", "source", "verification", "has_reply"];
  // Facets that become chips: the title, and the parameters that a value stands for.
  const facets = {
    rating: [text("Stars"), (v) => ({ rating: v })],
    year: [text("Year"), (v) => ({ since: v + "-01-01", until: v + "-12-31" })],
    aspect: [text("Aspects"), (v) => ({ aspect: v })],
    technician: [text("Technicians"), (v) => ({ mentions_technician: v })],
    service: [text("Services"), (v) => ({ mentions_service: v })],
    service_area: [text("Service areas"), (v) => ({ mentions_service_area: v })],
    language: [text("Language"), (v) => ({ language: v })],
    replied: [text("Reply"), (v) => ({ has_reply: v })],
  };
  const most = { rating: 5, year: 6 }; // chips of a facet; others have 8
  const titles = { replied: { true: text("with a reply"), false: text("without a reply") } };

  const make = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== null) e.setAttribute(name, value);
    e.append(...children.filter((c) => c !== null));
    return e;
  };
  const input = make("input", { type: "search", name: "query", id: "_query", maxlength: 200, autocomplete: "off" });
  const form = make("form", { action: home, role: "search" },
    make("label", { for: "_query" }, text("Search the reviews")),
    make("div", { class: "field" }, input, make("button", {}, text("Search"))));
  box.append(form);
  box.hidden = false;
  if (location.pathname !== home) return;

  const status = make("p", { role: "status", class: "quiet" });
  const chips = make("div", { class: "chips" });
  const results = make("div", { class: "results" });
  box.append(status, chips, results);
  let params = new URLSearchParams(), running = null;

  const day = (date) => new Date(date + "T12:00:00Z").toLocaleDateString(lang === "en" ? "en-GB" : lang, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

  const article = (r) => make("article", {},
    r.title === null ? null : make("h3", { lang: r.language }, r.title),
    make("p", { class: "by" },
      make("b", { class: "s" + r.rating }, text("%s of 5 stars", r.rating)),
      " ", make("bdi", {}, words["(author " + r.author + ")"] ?? r.author), ", ",
      make("a", { href: home + r.date.slice(0, 7) + "/#" + r.id }, day(r.date))),
    r.text === null ? null : make("p", { class: "words", lang: r.language }, r.text),
    r.owner_reply === null ? null : make("div", { class: "reply" },
      make("p", { class: "quiet" }, text("Reply from the business, %s", day(r.owner_reply.date))), make("p", { class: "words" }, r.owner_reply.text)));

  const chip = (facet, entry) => {
    const wanted = facets[facet][1](String(entry.value));
    const on = Object.entries(wanted).every(([name, value]) => params.get(name) === value);
    const label = (titles[facet] || names[facet] || {})[entry.value] ??
      (facet === "rating" ? entry.value + " ★" : facet === "language" ? languages.of(entry.value) : String(entry.value));
    const button = make("button", { type: "button", "aria-pressed": on }, label + " ", make("span", { class: "count" }, number(entry.count)));
    button.addEventListener("click", () => {
      const next = new URLSearchParams(params);
      for (const [name, value] of Object.entries(wanted)) on ? next.delete(name) : next.set(name, value);
      go(next).then(() => chips.querySelector('[data-facet="' + facet + '"] button')?.focus());
    });
    return button;
  };

  const show = (found) => {
    status.textContent = found.matched === 0 ? text("No review matches.") : found.matched > found.returned ?
      text("%s found; the newest %s are here", reviews(found.matched), number(found.returned)) : text("%s found", reviews(found.matched));
    chips.replaceChildren();
    for (const [facet, [title]] of Object.entries(facets)) {
      const list = found.facets?.[facet] || [];
      if (list.length < 2 && !list.some((e) => Object.keys(facets[facet][1]("")).every((name) => params.has(name)))) continue;
      chips.append(make("div", { role: "group", "aria-label": title, "data-facet": facet },
        make("span", { class: "quiet" }, title), make("span", { class: "choices" }, ...list.slice(0, most[facet] || 8).map((e) => chip(facet, e)))));
    }
    if (found.matched === 0) status.append(" ", make("a", { href: home }, text("All reviews")));
    results.replaceChildren(make("h2", { class: "unseen" }, text("Results")), ...found.reviews.map(article));
  };

  // ask fetches a search. An edge that knows no facets is asked without them.
  const ask = async (search, signal) => {
    for (const extra of ["&facets=true", ""]) {
      const response = await fetch("/api/reviews/search?" + search + extra, { signal });
      const body = await response.json().catch(() => ({ detail: text("this web server has no search. All reviews are listed by month.") }));
      if (response.ok && body.reviews) return body;
      if (!extra || !body.issues?.some((i) => i.keys?.includes("facets"))) throw new Error(body.issues?.map((i) => i.message).join(" ") || body.detail);
    }
  };

  const run = async () => {
    running?.abort();
    running = new AbortController();
    input.value = params.get("query") || "";
    if (params.size === 0) {
      status.textContent = "";
      chips.replaceChildren();
      results.replaceChildren();
      return;
    }
    status.textContent = text("Searching …");
    try {
      show(await ask(params, running.signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      chips.replaceChildren();
      results.replaceChildren();
      status.textContent = text("No answer: %s", error.message);
    }
  };

  const go = (next) => {
    params = next;
    history.pushState(null, "", params.size ? home + "?" + params : home);
    return run();
  };
  const read = () => {
    const given = new URLSearchParams(location.search);
    params = new URLSearchParams();
    for (const name of ["query", ...filters]) if (given.get(name)) params.set(name, given.get(name));
    return run();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const next = new URLSearchParams(params);
    next.delete("query");
    if (input.value) next.set("query", input.value);
    go(next);
  });
  addEventListener("popstate", read);
  read();
})();
