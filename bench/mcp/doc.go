// Package mcp measures the MCP server against others that serve the same bytes: its
// benchmarks are its content. It is a module of its own; run it with
//
//	go -C bench/mcp test -bench . -benchtime 2000x
//
// docs/mcp.md has the figures.
package mcp
