package main

import (
	"context"
	"time"

	"reviewcast/edge"
	"reviewcast/edge/mcpserver"
)

// mcpFlags configure the MCP server.
type mcpFlags struct {
	MCPAllowOrigin []string      `name:"mcp-allow-origin" help:"Origins, in addition to the public one, whose pages may use the MCP server; * allows all." placeholder:"ORIGIN"`
	MCPSessions    int           `name:"mcp-sessions" help:"MCP sessions with streams or subscriptions that may be open at once." default:"5000" placeholder:"N"`
	MCPIdle        time.Duration `name:"mcp-idle" help:"How long an MCP session may be silent before its subscriptions are dropped." default:"30m" placeholder:"TIME"`
	RateMCP        float64       `name:"rate-mcp" help:"MCP requests per second and client address, with bursts of ten times as many; 0 means no limit." default:"100" placeholder:"N"`
}

// mountMCP adds an MCP server to the configuration of an edge. It uses the hub's state
// and registry; hub may be nil. run must run beside the edge.
func (f *mcpFlags) mountMCP(c *edge.Config, hub *mountedHub) (run func(context.Context) error, err error) {
	mc := mcpserver.Config{
		Snapshots: c.Snapshots, BaseURL: c.BaseURL, AllowOrigins: f.MCPAllowOrigin, MaxSessions: f.MCPSessions, Idle: f.MCPIdle,
		Client: c.Proxies.Network, Logger: c.Logger,
	}
	if hub != nil {
		mc.Metrics = hub.registry
		mc.State = hub.state
	}
	server, err := mcpserver.New(mc)
	if err != nil {
		return nil, usageError{err}
	}
	c.MCP, c.RateMCP = server, f.RateMCP
	return server.Run, nil
}
