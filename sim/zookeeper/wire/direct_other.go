//go:build !linux

package wire

import (
	"errors"
	"os"
)

// openDirect opens nothing: all is written by way of the kernel's cache.
func openDirect(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func notDirect(error) bool { return false }

// syncData makes what was written to a file durable.
func syncData(f *os.File) error { return f.Sync() }
