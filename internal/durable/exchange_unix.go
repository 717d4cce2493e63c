//go:build linux || darwin

package durable

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// exchangeError marks the errors that mean "not supported here" with errNoExchange.
func exchangeError(err error) error {
	for _, unsupported := range []error{unix.EINVAL, unix.ENOSYS, unix.EXDEV, unix.EBUSY, unix.EOPNOTSUPP, unix.ENOTSUP} {
		if errors.Is(err, unsupported) {
			return fmt.Errorf("%w: %w", errNoExchange, err)
		}
	}
	return err
}
