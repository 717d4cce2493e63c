//go:build !linux && !darwin

package durable

import "errors"

// exchange is not available on this system.
func exchange(_, _ string) error { return errors.ErrUnsupported }
