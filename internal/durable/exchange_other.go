//go:build !linux && !darwin

package durable

// exchange is not available on this system.
func exchange(_, _ string) error { return errNoExchange }
