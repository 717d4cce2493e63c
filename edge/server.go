package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Grace is how long [Run] waits for running requests by default.
const Grace = 8 * time.Second

// Server returns an [http.Server] for a handler, with timeouts against slow and silent clients: a minute for a
// response, more for a large one. logger receives the errors of net/http at debug level; it may be nil.
func Server(h http.Handler, logger *slog.Logger) *http.Server {
	logger = cmp.Or(logger, slog.New(slog.DiscardHandler))
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    http.DefaultMaxHeaderBytes, // above it net/http answers by itself, in plain text
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Run serves on l until ctx is done. Then it waits at most grace for running requests and returns
// nil. It returns an error only if serving fails. srv must not be used again.
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
		_ = srv.Close() // close what is still open after the grace period
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}
