// Passes the paths that no file can answer to the edge. All others never come here: see wrangler.toml.
export default {
  fetch(request, env) {
    const url = new URL(request.url);
    const onward = new Request(env.EDGE + url.pathname + url.search, request);
    // The edge counts clients by this address, and believes it because of the secret.
    onward.headers.set("Reviewcast-Client", request.headers.get("CF-Connecting-IP") ?? "");
    onward.headers.set("Reviewcast-Proxy-Secret", env.PROXY_SECRET ?? "");
    return fetch(onward, { redirect: "manual" });
  },
};
