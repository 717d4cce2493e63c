package main

import (
	"context"
	"time"

	"reviewcast/edge"
	"reviewcast/edge/mcpserver"
)

// agentFlags are what the MCP server can be told.
type agentFlags struct {
	MCPAllowOrigin []string      `name:"mcp-allow-origin" help:"Origins, beside the public one, whose pages may use the MCP server; * is all." placeholder:"ORIGIN"`
	MCPSessions    int           `name:"mcp-sessions" help:"MCP sessions that may be open at once." default:"5000" placeholder:"N"`
	MCPIdle        time.Duration `name:"mcp-idle" help:"How long an MCP session may be silent before it ends." default:"30m" placeholder:"TIME"`
	RateMCP        float64       `name:"rate-mcp" help:"MCP requests a second and client address, ten times as many at once; 0 is no limit." default:"100" placeholder:"N"`
}

// mountMCP puts an MCP server into an edge's configuration. What it gives back runs
// beside the edge.
func (f *agentFlags) mountMCP(c *edge.Config) (run func(context.Context) error, err error) {
	server, err := mcpserver.New(mcpserver.Config{
		Snapshots: c.Snapshots, BaseURL: c.BaseURL, AllowOrigins: f.MCPAllowOrigin, MaxSessions: f.MCPSessions, Idle: f.MCPIdle,
		Logger: c.Logger,
	})
	if err != nil {
		return nil, usageError{err}
	}
	c.MCP, c.RateMCP = server, f.RateMCP
	return server.Run, nil
}
