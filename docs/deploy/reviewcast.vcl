vcl 4.1;

# Varnish in front of `reviewcast edge`. It caches files and searches; the edge
# answers conditional requests in 0.2 ms, so a short time is enough.

backend edge {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 60s;
}

sub vcl_recv {
    # The edge believes the last address that Varnish has added. Start it with
    # --trusted-proxies 127.0.0.1/32.
    if (req.url ~ "^/mcp($|/)" || req.url ~ "^/api/websub/hub") {
        return (pipe); # streams and requests that change something
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Followers name the hash that they expect: ?v=…. It must not reach the same object
    # as the plain path, so the query stays in the hash.
    unset req.http.Authorization; # changes nothing here, and would prevent caching
    unset req.http.Cookie;
    return (hash);
}

sub vcl_pipe {
    set bereq.http.Connection = "close"; # one request for each piped connection
}

sub vcl_backend_response {
    # A page and its Markdown twin have one address.
    if (beresp.http.Cache-Control ~ "no-cache|no-store") {
        set beresp.uncacheable = true;
        set beresp.ttl = 0s;
    }
    set beresp.grace = 10m; # serves the old answer while it asks for the new one
    set beresp.keep = 1h;   # for conditional requests to the edge
}
