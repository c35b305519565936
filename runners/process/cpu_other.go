//go:build !linux

package process

import (
	"errors"
	"fmt"
	"time"
)

// CPU always fails here, because only Linux has this clock.
func CPU(pid int) (time.Duration, error) {
	return 0, fmt.Errorf("processor time of process %d: %w", pid, errors.ErrUnsupported)
}
