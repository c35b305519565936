//go:build !linux

package process

import (
	"errors"
	"fmt"
	"time"
)

// CPU returns for how long all threads of a process have run; it is an error here.
func CPU(pid int) (time.Duration, error) {
	return 0, fmt.Errorf("processor time of process %d: %w", pid, errors.ErrUnsupported)
}
