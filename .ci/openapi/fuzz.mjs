// Asks a running edge with requests made from its API description, right and wrong ones, and checks that each
// answer is described: its status, its media type, and its body by the schema.
//
//	node fuzz.mjs http://127.0.0.1:18081 [REQUESTS] [SEED]
import { createRequire } from "node:module";
import http from "node:http";

const require = createRequire(new URL("../node/", import.meta.url));
const Ajv = require("ajv/dist/2020.js").default;
const formats = require("ajv-formats").default;
const [base, count = "3000", seed = "1"] = process.argv.slice(2);
// The edge may still be starting: its first answer is what we wait for.
for (let tries = 0; ; tries++) {
  try {
    if ((await fetch(base + "/manifest.json")).ok) break;
  } catch (err) {
    if (tries === 100) throw err;
  }
  await new Promise((done) => setTimeout(done, 50));
}
const doc = await (await fetch(base + "/.well-known/openapi.json")).json();
const ajv = new Ajv({ strict: false, allErrors: true });
formats(ajv);
ajv.addSchema(doc, "api");

let state = Number(seed);
const random = (n) => { // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
};
const pick = (list) => list[random(list.length)];
const chance = (percent) => random(100) < percent;
const at = (ref) => ref.split("/").slice(1).reduce((o, key) => o[key.replaceAll("~1", "/").replaceAll("~0", "~")], doc);
const resolve = (o) => (o?.$ref ? at(o.$ref) : o);

const reviews = (await (await fetch(base + "/reviews.json")).json());
const latest = await (await fetch(base + "/changes/latest.json")).json();
const words = ["", " ", "e", "the", "on time", "été", "𝒳", "%", "%25", "a/b", "..", "\u0000", "\u202e", "x".repeat(200), "x".repeat(201), "\ud800", "null", "true", "-1", "0", "1", "3", "5", "5.0", "6", "1e3", "2.5", "99999999999999999999",
  "2026-01-01", "2026-02-30", "2026-1-1", "9999-12-31", "0000-00-00", "2026%252D01-01", reviews.reviews[0].date, reviews.reviews[0].author, ...reviews.business.technicians.flatMap((t) => [t.id, t.name]), ...reviews.business.services.map((s) => s.name), "pricing", "negative", "job"];
const valueOf = (p) => {
  const s = resolve(p.schema) ?? {};
  if (chance(35)) return pick(words);
  if (p.name === "sequence") return String(latest.sequence);
  if (s.enum) return String(pick(s.enum));
  if (s.format === "date") return pick(reviews.reviews).date;
  if (s.type === "boolean") return pick(["true", "false"]);
  if (s.type === "integer") return String((s.minimum ?? 0) + random((s.maximum ?? 9) - (s.minimum ?? 0) + 1));
  if (s.type === "number") return ((s.minimum ?? 0) + random(40) / 10).toFixed(1);
  return String(p.example ?? pick(words));
};
const encode = (v) => (chance(90) ? encodeURIComponent(v.toWellFormed()) : v.toWellFormed().replace(/[^!-~]|[#?]/g, ""));

const bodies = {
  "application/x-www-form-urlencoded": () => new URLSearchParams(Object.entries({
    "hub.mode": pick(["subscribe", "unsubscribe", "publish", "no", ""]), "hub.topic": pick([base + "/reviews.json", base + "/feed.xml", base + "/", "x", ""]),
    "hub.callback": pick(["https://subscriber.example/inbox", "http://127.0.0.1/", "ftp://x", "https://u:p@h.example/", ""]),
    "hub.lease_seconds": pick(["300", "0", "-1", "x", "99999999999"]), "hub.secret": pick(["secret", "s".repeat(200)]), "hub.url": base + "/reviews.json",
  }).filter(() => chance(70))).toString(),
  "application/json": () => pick([
    () => JSON.stringify({ jsonrpc: "2.0", id: pick([1, "a", null, 1.5]), method: pick(["tools/list", "tools/call", "initialize", "ping", "server/discover", "no/such", "resources/list"]),
      params: pick([undefined, {}, { name: "search_reviews", arguments: { query: pick(words) } }, { name: "none", arguments: {} },
        { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }]) }),
    () => JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    () => pick(["", "{", "[]", "null", '"x"', "[[[[", '{"jsonrpc":"1.0"}', "x".repeat(100_000)]),
  ])(),
};

const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
const send = (method, path, headers, body) => new Promise((done, fail) => {
  const request = http.request(base, { agent, method, path, headers }, (response) => {
    const chunks = [];
    response.on("data", (c) => chunks.push(c));
    response.on("end", () => done({ status: response.statusCode, type: (response.headers["content-type"] ?? "").split(";")[0], body: Buffer.concat(chunks) }));
    response.on("error", fail);
  });
  request.on("error", fail);
  request.end(body);
});

const operations = Object.entries(doc.paths).flatMap(([path, item]) => Object.entries(item).map(([method, op]) => ({ path, method, op })));
const make = ({ path, method, op }) => {
  const headers = {};
  const query = [];
  let where = path, body;
  for (const p of (op.parameters ?? []).map(resolve)) {
    if (p.in === "path") where = where.replace(`{${p.name}}`, encode(valueOf(p)));
    else if (p.in === "query" && chance(25)) query.push(`${p.name}=${encode(valueOf(p))}`);
    else if (p.in === "header" && chance(15)) headers[p.name] = pick(["*", '"x"', 'W/"a", "b"', "x", "Sat, 01 Jan 2028 00:00:00 GMT", "2025-11-25", "2026-07-28"]);
  }
  if (chance(8)) query.push(pick(["unknown=1", "limit=1&limit=2", "=", "&&", "%zz"]));
  if (chance(10)) headers.range = pick(["bytes=0-9", "bytes=-5", "bytes=9999999999-", "x", "bytes=0-1,3-4"]);
  if (chance(10)) headers["if-match"] = pick(["*", '"x"']);
  if (chance(10)) headers["accept-encoding"] = pick(["identity;q=0", "*;q=0", "x"]); // a coding would have to be undone here
  if (chance(5)) headers.accept = pick(["text/plain", "application/json", "*/*;q=0"]);
  if (op.requestBody) {
    const type = Object.keys(op.requestBody.content)[0];
    body = bodies[type]();
    headers["content-type"] = chance(90) ? type : pick(["text/plain", "", "multipart/form-data"]);
    headers["content-length"] = String(Buffer.byteLength(body));
    if (path === "/mcp" && chance(90)) headers.accept = "application/json, text/event-stream";
    if (path === "/mcp" && chance(5)) headers.origin = "https://elsewhere.example";
  }
  if (chance(1)) query.push("x=" + "y".repeat(9000));
  return { method: method.toUpperCase(), path: where + (query.length ? "?" + query.join("&") : ""), headers, body };
};

const differ = [], seen = {};
let n = 0;
for (; n < Number(count); n++) {
  const operation = operations[n % operations.length];
  const request = make(operation);
  const answer = await send(request.method, request.path, request.headers, request.body);
  const bad = (why) => differ.push(`${request.method} ${request.path.slice(0, 200)} ${JSON.stringify(request.headers)}: ${answer.status} ${why}`);
  seen[answer.status] = (seen[answer.status] ?? 0) + 1;
  const where = operation.op.responses[answer.status];
  if (!where) { bad("is not described"); continue; }
  if (operation.method === "head") { if (answer.body.length) bad("has a body"); continue; }
  const pointer = where.$ref ?? `#/paths/${operation.path.replaceAll("~", "~0").replaceAll("/", "~1")}/${operation.method}/responses/${answer.status}`;
  const content = resolve(where).content;
  if (!content) { if (answer.body.length && operation.path !== "/api/websub/hub") bad("should be empty"); continue; }
  if (answer.status === 206 && answer.type === "multipart/byteranges") continue; // several ranges, as the description says in words
  const media = content[answer.type] && answer.type;
  if (!media) { bad(`has the type ${answer.type}`); continue; }
  if (answer.status === 206 || !/json$/.test(media) || !content[media].schema) continue;
  const valid = ajv.getSchema("api" + encodeURI(`${pointer}/content/${media.replaceAll("/", "~1")}/schema`)) ?? ajv.compile({ $ref: "api" + encodeURI(`${pointer}/content/${media.replaceAll("/", "~1")}/schema`) });
  let value;
  try { value = JSON.parse(answer.body); } catch (err) { bad(`isn't JSON: ${err.message}`); continue; }
  if (!valid(value)) bad(ajv.errorsText(valid.errors).slice(0, 300));
}
agent.destroy();
for (const d of differ.slice(0, 30)) console.log(d);
console.log(`fuzz: ${n} answers ${JSON.stringify(seen)}, ${differ.length} differ from the description`);
process.exitCode = differ.length ? 1 : 0;
