// Two complete conversations: session, lists, tool calls whose output is validated
// against the tools' schemas, completion, subscription, the notification of a rebuild,
// and the end of the session.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import * as next from "@modelcontextprotocol/client";

const url = new URL(process.env.MCP_URL);
const patience = 20_000; // far longer than anything takes

// rebuild publishes one more review.
let extra = 0;
function rebuild() {
  extra++;
  appendFileSync(`${process.env.MCP_CONTENT}/reviews/conversation.yaml`,
    `- {id: conversation-${extra}, author: C. I., rating: 4, date: 2026-11-0${extra}, text: "Said in a conversation, number ${extra}.", verification: {method: job}}\n`);
  execFileSync(process.env.REVIEWCAST, ["build", "--content", process.env.MCP_CONTENT, "--public", process.env.MCP_PUBLIC, "--encodings", "none"], { stdio: "pipe" });
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing in ${patience} ms`)), patience); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// calls lets a client call every tool. callTool validates structuredContent against the
// output schema that listTools returned.
async function calls(client) {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 11);
  for (const tool of tools) assert.ok(tool.outputSchema && tool.title && tool.annotations.readOnlyHint, tool.name);
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${result.content?.[0]?.text}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  };
  const { business } = await call("get_business");
  const summary = await call("get_summary");
  await call("list_topics");
  await call("get_faq");
  for (const aspect of summary.aspects) await call("get_aspect_sentiment", { aspect: aspect.id });
  for (const { name } of business.technicians) await call("get_technician", { name });
  for (const { id } of business.services) await call("get_service", { service: id });
  const ids = [];
  for (let cursor; ;) { // all pages
    const page = await call("search_reviews", { min_rating: 2, limit: 50, response_format: "concise", ...(cursor && { cursor }) });
    ids.push(...page.reviews.map((r) => r.id));
    if (!(cursor = page.next_cursor)) {
      assert.equal(ids.length, page.matched);
      break;
    }
  }
  const { reviews: [review] } = await call("search_reviews", { rating: 5, limit: 1 });
  assert.deepEqual((await call("get_review", { id: review.id })).review, review);
  const mistake = await client.callTool({ name: "get_review", arguments: { id: "nobody" } });
  assert.ok(mistake.isError && mistake.content[0].text.includes("nobody"));
  const completed = await client.complete({ ref: { type: "ref/resource", uri: "reviewcast://technician/{id}" }, argument: { name: "id", value: business.technicians[0].id.slice(0, 3) } });
  assert.ok(completed.completion.values.includes(business.technicians[0].id));
  const prompt = await client.getPrompt({ name: "answer_customer_question", arguments: { question: "Are you on time?" } });
  assert.match(prompt.messages[0].content.text, /on time/);
  return { ids, summary };
}

async function withSession() {
  const client = new Client({ name: "conversation", version: "1" });
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  assert.ok(transport.sessionId);
  assert.match(client.getServerVersion().title, /Reviews of/);
  assert.ok(client.getInstructions().length < 1500);
  const { ids } = await calls(client);

  const updated = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri)));
  await client.subscribeResource({ uri: "reviewcast://summary" });
  rebuild();
  assert.equal(await within(updated, "update"), "reviewcast://summary");
  const { contents } = await client.readResource({ uri: "reviewcast://summary" });
  assert.ok(JSON.parse(contents[0].text).review_count > ids.length);
  await client.unsubscribeResource({ uri: "reviewcast://summary" });

  const id = transport.sessionId;
  await transport.terminateSession();
  await client.close();
  const after = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Mcp-Session-Id": id },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) });
  assert.equal(after.status, 404);
  console.log(`conversation: session of ${transport.protocolVersion ?? "?"}: ${ids.length} reviews in pages, an update, ended`);
}

async function withoutSession() {
  const client = new next.Client({ name: "conversation", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const transport = new next.StreamableHTTPClientTransport(url);
  await client.connect(transport);
  assert.equal(transport.sessionId, undefined);
  const { ids } = await calls(client);
  const updated = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", (n) => resolve(n.params.uri)));
  const subscription = await client.listen({ resourceSubscriptions: ["reviewcast://summary"] });
  rebuild();
  assert.equal(await within(updated, "update"), "reviewcast://summary");
  await subscription.close();
  await client.close();
  console.log(`conversation: without a session, 2026-07-28: ${ids.length} reviews in pages, an update`);
}

await withSession();
await withoutSession();
