// One client over two edges that are restarted. See the script edges.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const freePort = () => new Promise((resolve) => {
  const s = net.createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => resolve(port)); });
});
const ports = [await freePort(), await freePort()];

// start starts an edge and returns when it answers searches.
function start(port) {
  const edge = spawn(process.env.REVIEWCAST, ["edge", "--public", process.env.MCP_PUBLIC, "--listen", `127.0.0.1:${port}`,
    "--state", process.env.MCP_STATE, "--mcp-idle", "1s"], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let log = "";
    edge.stderr.on("data", (data) => {
      log += data;
      if (log.includes("search index built")) resolve(edge);
    });
    edge.on("exit", (code) => reject(new Error(`edge ended with ${code}: ${log}`)));
  });
}
const stop = (edge) => new Promise((resolve) => { edge.removeAllListeners("exit"); edge.on("exit", resolve); edge.kill(); });

let turn = 0;
const proxy = http.createServer((req, res) => {
  const to = http.request({ host: "127.0.0.1", port: ports[turn++ % 2], method: req.method, path: req.url, headers: req.headers }, (from) => {
    res.writeHead(from.statusCode, from.headers);
    from.pipe(res);
  });
  to.on("error", () => res.destroy());
  res.on("close", () => to.destroy());
  req.pipe(to);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => proxy.on("listening", resolve));

let edges = await Promise.all(ports.map(start));
const client = new Client({ name: "edges", version: "1" });
client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => {});
const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${proxy.address().port}/mcp`));
await client.connect(transport);
const session = transport.sessionId;
let calls = 0;
async function use(when) {
  for (let i = 0; i < 10; i++, calls++) {
    const result = await client.callTool({ name: "search_reviews", arguments: { response_format: "counts" } });
    assert.ok(!result.isError && result.structuredContent.matched > 0, when);
  }
  assert.equal(transport.sessionId, session, when);
}
await use("over two edges");
await client.subscribeResource({ uri: "reviewcast://summary" });
await sleep(3000); // three times --mcp-idle
await use("after an idle time");
await Promise.all(edges.map(stop));
edges = await Promise.all(ports.map(start));
await use("after a restart of both edges");
await client.close();
await Promise.all(edges.map(stop));
proxy.closeAllConnections();
proxy.close();
console.log(`edges: ${calls} calls of one session over two edges, an idle time and a restart`);
