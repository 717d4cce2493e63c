// Validates the built JSON Feed against the JSON Feed 1.1 schema, and for two mistakes
// that the schema permits: blank ids and duplicate ids.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const schema = require("jsonfeed-schema/schema-v1.1.json");
const feed = JSON.parse(readFileSync(process.argv[2], "utf8"));

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const valid = ajv.compile(schema);
assert.ok(valid(feed), JSON.stringify(valid.errors, null, 2));
const ids = feed.items.map((item) => item.id);
assert.ok(ids.every((id) => typeof id === "string" && id.trim() !== ""), "a blank id");
assert.equal(new Set(ids).size, ids.length, "an id stands twice");
assert.equal(feed.version, "https://jsonfeed.org/version/1.1");
assert.ok(feed.items.length <= 50);
assert.deepEqual(feed.hubs.map((hub) => hub.type), ["WebSub"]);
console.log(`feed.json: ${feed.items.length} items, valid`);
