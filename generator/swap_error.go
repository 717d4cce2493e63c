//go:build linux || darwin

package generator

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// swapError tells "not here" from "went wrong".
func swapError(err error) error {
	for _, cannot := range []error{unix.EINVAL, unix.ENOSYS, unix.EXDEV, unix.EBUSY, unix.EOPNOTSUPP, unix.ENOTSUP} {
		if errors.Is(err, cannot) {
			return fmt.Errorf("%w: %w", errNoSwap, err)
		}
	}
	return err
}
