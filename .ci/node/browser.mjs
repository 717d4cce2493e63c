// Checks the page in a browser. It must show the business, the rating and the reviews,
// log nothing to the console, violate no policy, fit a narrow screen, and link to both
// feeds. Screenshots are written to the given folder for people to look at.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [base, out] = process.argv.slice(2);

// The edge may still be starting: wait for its first answer.
for (let tries = 0; ; tries++) {
  try {
    await fetch(base + "/manifest.json");
    break;
  } catch (err) {
    if (tries === 100) throw err;
    await new Promise((done) => setTimeout(done, 50));
  }
}
const dataset = await (await fetch(base + "/reviews.json")).json();

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
try {
  for (const [name, width, colorScheme] of [["wide", 1200, "light"], ["narrow", 360, "light"], ["dark", 800, "dark"]]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const noise = [];
    page.on("console", (m) => noise.push(m.text()));
    page.on("pageerror", (e) => noise.push(String(e)));
    page.on("requestfailed", (r) => noise.push(`${r.url()}: ${r.failure().errorText}`));
    const response = await page.goto(base + "/", { waitUntil: "load" });
    check(response.status() === 200, `the page answers ${response.status()}`);
    await page.screenshot({ path: `${out}/${name}.png`, fullPage: true });
    const text = await page.innerText("body");
    check(text.includes(dataset.business.name), "the page names the business");
    check(text.includes(dataset.aggregate_rating.rating_value.toFixed(2)) || text.includes(String(dataset.aggregate_rating.rating_value)), "the page shows the rating");
    const newest = dataset.reviews.find((r) => r.text);
    check(text.includes(newest.author), "the page shows the newest review");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(overflow <= 0, `${name}: the page is ${overflow} px wider than the screen`);
    const feeds = await page.$$eval("link[rel=alternate]", (links) => links.map((l) => l.type));
    check(feeds.includes("application/feed+json") && feeds.includes("application/atom+xml"), `the page announces ${feeds}`);
    check((await page.getAttribute("html", "lang")) !== null, "the page says its language");
    assert.deepEqual(noise, [], `${name}: the console must stay silent`);
    checks++;
    await page.close();
  }
  // On paper: answers are open, and nothing is dark.
  const page = await browser.newPage({ colorScheme: "dark" });
  await page.goto(base + "/", { waitUntil: "load" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const answers = await page.$$eval("details .words", (all) => all.map((e) => e.getBoundingClientRect().height));
  check(answers.length > 0 && answers.every((height) => height > 0), `print: answers have the heights ${answers}`);
  const card = await page.$eval("article", (e) => getComputedStyle(e).backgroundColor);
  check(card === "rgb(255, 255, 255)", `print: a review is on ${card}`);
  await page.close();
} finally {
  await browser.close();
}
console.log(`browser: ${checks} passed, 0 failed`);
