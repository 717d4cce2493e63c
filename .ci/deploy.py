"""Compares the servers of docs/deploy with the edge behind them: PUBLIC is its folder."""
import http.client
import json
import re
import ssl
import sys
import time

EDGE = ("http", 8480)
SERVERS = {"nginx": ("https", 8443), "caddy": ("http", 8481), "varnish": ("http", 8482)}
FILES = ("Content-Type", "Cache-Control", "Content-Security-Policy", "Link",
         "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options")
failures = []


def ask(server, method, path, headers=(), body=None):
    scheme, port = server
    if scheme == "https":
        c = http.client.HTTPSConnection("127.0.0.1", port, context=ssl._create_unverified_context(), timeout=30)
    else:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    c.request(method, path, body, {"Host": "reviews.example.com", **dict(headers)})
    r = c.getresponse()
    return r.status, r.headers, r.read()


def wait(name, server):
    deadline = time.monotonic() + 60
    while True:
        try:
            if ask(server, "GET", "/manifest.json")[0] == 200:
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            sys.exit(f"{name} doesn't answer")
        time.sleep(0.1)


def check(what, got, want):
    if got != want:
        failures.append(f"{what}: {got!r}, want {want!r}")


def header(headers, name):
    return ", ".join(headers.get_all(name) or [])


def same_files(name, server, paths):
    for path in paths:
        want = ask(EDGE, "GET", path)
        got = ask(server, "GET", path)
        check(f"{name} {path}: status", got[0], 200)
        check(f"{name} {path}: body", got[2] == want[2], True)
        for h in FILES:
            check(f"{name} {path}: {h}", header(got[1], h), header(want[1], h))
        if "Accept-Encoding" not in header(got[1], "Vary"):
            failures.append(f"{name} {path}: Vary: {header(got[1], 'Vary')!r}")
        tag = got[1]["ETag"] or "none"
        check(f"{name} {path}: revalidated", ask(server, "GET", path, {"If-None-Match": tag}.items())[0], 304)
        # Followers name the hash that they expect.
        check(f"{name} {path}?v=", ask(server, "GET", path + "?v=0123")[2] == want[2], True)
    check(f"{name}: gzip", ask(server, "GET", "/reviews.json", {"Accept-Encoding": "gzip"}.items())[1]["Content-Encoding"], "gzip")
    check(f"{name}: nothing there", ask(server, "GET", "/nothing.json")[0], 404)


def same_answers(name, server):
    for path in ("/api/reviews/search?query=the&limit=3", "/api/reviews/search?limit=x", "/api/reviews/since/2026-01-01",
                 "/mcp/server-card"):
        want, got = ask(EDGE, "GET", path), ask(server, "GET", path)
        check(f"{name} {path}: status", got[0], want[0])
        check(f"{name} {path}: body", got[2], want[2])
        check(f"{name} {path}: origin", header(got[1], "Access-Control-Allow-Origin"), header(want[1], "Access-Control-Allow-Origin"))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    ping = "hub.mode=publish&hub.url=https://reviews.example.com/reviews.json"
    check(f"{name}: ping", ask(server, "POST", "/api/websub/hub", form.items(), ping)[0], 202)
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "deploy", "version": "1"}}}
    status, _, body = ask(server, "POST", "/mcp", {"Content-Type": "application/json",
                          "Accept": "application/json, text/event-stream"}.items(), json.dumps(call))
    check(f"{name}: MCP", (status, b'"serverInfo"' in body), (200, True))


manifest = json.load(open(sys.argv[1] + "/manifest.json"))
paths = [f["path"] for f in manifest["files"]] + ["/manifest.json", "/", "/reviews/"]
wait("the edge", EDGE)
for name, server in SERVERS.items():
    wait(name, server)
    same_files(name, server, paths)
    same_answers(name, server)
# What the dashboard and the runbook name exists.
metrics = ask(("http", 8483), "GET", "/metrics")[2].decode()
for doc in ("docs/deploy/grafana.json", "docs/runbook.md"):
    for name in sorted(set(re.findall("reviewcast_[a-z_]+", open(doc).read()))):
        name = name.removesuffix("_bucket")
        # Those of the origin are there with --origin only.
        if not name.startswith("reviewcast_origin_") and f"# TYPE {name} " not in metrics:
            failures.append(f"{doc} names {name}, which the edge doesn't have")
for failure in failures[:40]:
    print(failure)
if failures:
    sys.exit(f"{len(failures)} differences")
print(f"{len(paths)} files and the edge's answers are the same through {', '.join(SERVERS)}")
