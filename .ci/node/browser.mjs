// Looks at the pages as a visitor: every kind of page, at three widths, in light and
// dark. Nothing may come from another host or break the page's policy, the console
// stays silent, axe finds no violation, no page is wider than the screen, and
// everything can be reached by keyboard. Screenshots go to the folder given, for
// people to look at.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [base, out] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The edge may still be starting: the first answer is what we wait for.
for (let tries = 0; ; tries++) {
  try {
    const response = await fetch(base + "/manifest.json");
    if (response.ok) break;
    throw new Error(`status ${response.status}`);
  } catch (err) {
    if (tries === 100) throw err;
    await new Promise((done) => setTimeout(done, 50));
  }
}
const dataset = await (await fetch(base + "/reviews.json")).json();
const newest = dataset.reviews.find((r) => r.text);
const month = `/reviews/${newest.date.slice(0, 7)}/`;
const pages = {
  front: "/", months: "/reviews/", month, year: `/reviews/${newest.date.slice(0, 4)}/`, missing: "/404.html", docs: "/docs/", api: "/docs/api/", fields: "/docs/fields/",
  aspect: "/aspects/pricing/", technician: `/technicians/${dataset.business.technicians[0].id}/`,
  service: `/services/${dataset.business.services[0].id}/`, area: `/areas/${dataset.business.service_areas[0].id}/`,
};

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});
let checks = 0;
const check = (ok, what) => {
  assert.ok(ok, what);
  checks++;
};

// open opens a page that reports everything that it shouldn't do.
const open = async (path, options) => {
  const page = await browser.newPage(options);
  page.noise = [];
  page.on("console", (m) => page.noise.push(m.text()));
  page.on("pageerror", (e) => page.noise.push(String(e)));
  page.on("requestfailed", (r) => page.noise.push(`${r.url()}: ${r.failure().errorText}`));
  page.on("request", (r) => {
    if (!r.url().startsWith(base + "/") && !r.url().startsWith("data:")) page.noise.push(`foreign request: ${r.url()}`);
  });
  const response = await page.goto(base + path, { waitUntil: "load" });
  check(response.status() === 200, `${path} answers ${response.status()}`);
  return page;
};

const look = async (name, path, width, colorScheme) => {
  const where = `${name} at ${width} px, ${colorScheme}`;
  const page = await open(path, { viewport: { width, height: 900 }, colorScheme });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(overflow <= 0, `${where}: ${overflow} px wider than the screen`);
  await page.screenshot({ path: `${out}/${name}-${width}-${colorScheme}.png`, fullPage: !path.startsWith("/docs/") });
  assert.deepEqual(page.noise, [], `${where}: the console must stay silent`);
  checks++;
  const wide = await page.evaluate(() => {
    for (const name of document.querySelectorAll("main h1, bdi, th[scope=row] a, .about a, .topics b, article h2, article h3, .words, q, .lead")) name.textContent = "Donaudampfschifffahrt".repeat(4);
    return document.documentElement.scrollWidth - window.innerWidth;
  });
  check(wide <= 0, `${where}: long names make it ${wide} px wider than the screen`);
  await page.close();
  // axe is a script, which the pages' policy forbids.
  const inspected = await open(path, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  await inspected.evaluate(axe);
  const found = await inspected.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations);
  assert.deepEqual(found.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`), [], `${where}: axe`);
  checks++;
  await inspected.close();
};

try {
  for (const [name, path] of Object.entries(pages)) {
    for (const width of [320, 768, 1280]) await look(name, path, width, "light");
    await look(name, path, 1280, "dark");
  }
  await look("front", "/", 320, "dark");

  const front = await open("/", {});
  const text = await front.innerText("body");
  check(text.includes(dataset.business.name), "the front page names the business");
  check(text.includes(dataset.aggregate_rating.rating_value.toFixed(2)), "the front page shows the rating");
  check(text.includes(newest.author), "the front page shows the newest review");
  const feeds = await front.$$eval("link[rel=alternate]", (links) => links.map((l) => l.type));
  check(feeds.includes("application/feed+json") && feeds.includes("application/atom+xml") && feeds.includes("text/markdown"), `the page announces ${feeds}`);

  // By keyboard: the first stop skips to the content, and the search is reached,
  // asked and answered without a mouse.
  await front.keyboard.press("Tab");
  check((await front.evaluate(() => document.activeElement.textContent)) === "Skip to the content", "the first stop skips to the content");
  await front.focus("#_query");
  await front.keyboard.type("furnace");
  await front.keyboard.press("Enter");
  await front.waitForURL(/\/reviews\/\?query=furnace/);
  await front.waitForSelector("#_search article");
  check(/reviews? found/.test(await front.innerText("#_search [role=status]")), "the search says how many match");
  assert.deepEqual(front.noise.filter((n) => !n.includes("400")), [], "the search makes no noise");
  await front.screenshot({ path: `${out}/search.png` });
  await front.close();

  // Five tasks of readers, each in at most three clicks from the front page.
  const year = newest.date.slice(0, 4) - 1;
  const tasks = {
    "why is cleanliness what it is": [["link", "Cleanliness"], ".negative q"],
    "the worst reviews of last year and the replies": [["link", "Reviews"], ["link", /^\d+ critical$/, `[href="/reviews/${year}/#_critical"]`], "#_critical ~ article .reply"],
    "who is praised for communication": [["link", "Communication"], 'h2:has-text("Technicians") + table a'],
    "what was withdrawn": [".withdrawn li a"],
    "how do I fetch this every day": [["link", "How to use the data"], ["link", "Fetch it every day"], "pre:has-text('--etag-save')"],
  };
  for (const [task, steps] of Object.entries(tasks)) {
    const reader = await open("/", {});
    const found = steps.pop();
    for (const [role, name, selector] of steps) await (selector ? reader.locator(selector) : reader.getByRole(role, { name, exact: true })).first().click();
    await reader.waitForSelector(found, { state: "attached", timeout: 10_000 });
    check((await reader.locator(found).first().innerText()).trim() !== "" && steps.length <= 3, `${task}: ${found}`);
    assert.deepEqual(reader.noise, [], task);
    await reader.close();
  }

  // A review's address leads to it; without scripts everything is there but the search.
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(`${base}${month}#${newest.id}`);
  check((await page.locator(`[id="${newest.id}"]`).innerText()).includes(newest.author), "the anchor of a review is the review");
  check(!(await page.locator("#_search").count()) || !(await page.locator("#_search").isVisible()), "without scripts there is no search box");
  await plain.close();
  // On paper: answers are open, and nothing is dark.
  const printed = await open("/", { colorScheme: "dark" });
  await printed.emulateMedia({ media: "print", colorScheme: "dark" });
  const answers = await printed.$$eval("details .words", (all) => all.map((e) => e.getBoundingClientRect().height));
  check(answers.length > 0 && answers.every((height) => height > 0), `print: answers have the heights ${answers}`);
  const card = await printed.$eval("article", (e) => getComputedStyle(e).backgroundColor);
  check(card === "rgb(255, 255, 255)", `print: a review is on ${card}`);
  check(!(await printed.isVisible("#_search")), "print: no search box");
  await printed.pdf({ path: `${out}/front.pdf`, format: "A4" });
  await printed.close();
} finally {
  await browser.close();
}
console.log(`browser: ${checks} passed, 0 failed`);
