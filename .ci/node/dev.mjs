// Checks the preview of `reviewcast dev` in a browser: opened answers survive a reload,
// the overlay counts the problems that it does not show, and a page says when dev has
// stopped.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [program, sample, out] = process.argv.slice(2);
const content = out + "/dev-content";
rmSync(content, { recursive: true, force: true });
cpSync(sample, content, { recursive: true });

const dev = spawn(program, ["dev", "--content", content, "--public", out + "/none", "--listen", "127.0.0.1:18081"], { stdio: ["ignore", "pipe", "ignore"] });
const exited = new Promise((done) => dev.on("exit", done));
await new Promise((done) => dev.stdout.once("data", done)); // the first build

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  await page.goto("http://127.0.0.1:18081/", { waitUntil: "load" });
  const question = await page.textContent("details > summary");
  await page.click("details > summary");

  appendFileSync(content + "/summary.md", "\nSeen after a reload.\n");
  await page.getByText("Seen after a reload.").waitFor();
  assert.equal(await page.textContent("details[open] > summary"), question, "an opened answer is open after a reload");

  writeFileSync(content + "/reviews/bad.yaml", "- {id: bad}\n".repeat(30));
  const overlay = page.locator("#reviewcast-problems");
  await overlay.waitFor();
  assert.match(await overlay.innerText(), /50 of \d+ problems are shown here/);
  rmSync(content + "/reviews/bad.yaml");
  await overlay.waitFor({ state: "detached" });

  assert.equal(await page.locator("#reviewcast-stopped").count(), 0);
  dev.kill("SIGINT");
  await page.locator("#reviewcast-stopped").waitFor();
} finally {
  await browser.close();
  dev.kill("SIGINT");
  await exited;
}
console.log("dev in a browser: passed");
