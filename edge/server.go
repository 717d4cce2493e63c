package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Grace is how long Run lets requests end.
const Grace = 8 * time.Second

// Server makes an http.Server for a handler, with the timeouts that keep slow and
// silent clients from holding connections. Answers have a minute, large ones more
// (see New's handler), streams of a mounted MCP server no end. logger, which may be
// nil, takes what net/http has to say about connections, at debug level.
func Server(h http.Handler, logger *slog.Logger) *http.Server {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    http.DefaultMaxHeaderBytes, // beyond it net/http answers by itself, bare
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Run serves on a listener that is open already until ctx is done, then takes no
// more connections, lets requests end for at most grace, and closes what is left.
// It returns nil after that, and an error only when serving itself fails. The
// server must not be used again.
func Run(ctx context.Context, l net.Listener, srv *http.Server, grace time.Duration) error {
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		_ = srv.Close() // what is still open after the grace is cut
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}
