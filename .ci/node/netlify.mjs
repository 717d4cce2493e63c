// Checks how Netlify understands netlify.toml: the build, the folder, the rewrites of
// the paths that the edge answers, and the headers of every data file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const { config } = JSON.parse(readFileSync(process.argv[2], "utf8"));

assert.match(config.build.command, /go run \.\/cmd\/reviewcast build .*--previous \$URL/);
assert.match(config.build.publish, /\/public$/);

const rewrites = new Map(config.redirects.map((r) => [r.from ?? r.path, r]));
for (const path of ["/api/reviews/search", "/api/reviews/since/*", "/mcp", "/mcp/*", "/api/websub/hub"]) {
  const r = rewrites.get(path);
  assert.ok(r, `no rewrite for ${path}`);
  assert.equal(r.status, 200, `${path} must be rewritten, not redirected`);
  assert.equal(r.force, true, `${path} must go to the edge always`);
  assert.match(r.to, /^https:\/\//, `${path} must go to an edge's address`);
}
assert.equal(rewrites.size, 5);

const headers = new Map(config.headers.map((h) => [h.for, h.values]));
const value = (path, name) => {
  const v = headers.get(path)?.[name] ?? headers.get("/*")?.[name];
  return Array.isArray(v) ? v.join(", ") : v;
};
const types = {
  "/reviews.json": "application/json",
  "/insights.json": "application/json",
  "/api/feed.json": "application/json",
  "/feed.xml": "application/atom+xml",
  "/.well-known/openapi.json": "application/json",
  "/manifest.json": "application/json",
};
for (const [path, type] of Object.entries(types)) {
  assert.equal(value(path, "Content-Type"), type, `Content-Type of ${path}`);
  assert.match(value(path, "Content-Security-Policy") ?? "", /default-src 'none'/, `CSP of ${path}`);
  assert.equal(value(path, "Access-Control-Allow-Origin"), "*");
  assert.equal(value(path, "X-Content-Type-Options"), "nosniff");
  assert.match(value(path, "Cache-Control"), path === "/manifest.json" ? /no-cache/ : /max-age=60/);
}
for (const topic of ["/reviews.json", "/api/feed.json", "/feed.xml"]) {
  const link = value(topic, "Link");
  assert.match(link, /rel="?hub"?/, `Link rel=hub of ${topic}`);
  assert.ok(link.includes(`${topic}>; rel="self"`), `Link rel=self of ${topic}: ${link}`);
}
for (const page of ["/", "/reviews/*", "/aspects/*", "/technicians/*", "/services/*", "/areas/*", "/docs/*"]) {
  assert.match(value(page, "Content-Security-Policy") ?? "", /script-src 'self'.*frame-ancestors 'none'/, `CSP of ${page}`);
}
console.log(`netlify.toml: ${rewrites.size} rewrites, headers for ${headers.size} patterns`);
