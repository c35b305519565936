//go:build !linux

package logfile

import (
	"errors"
	"os"
)

// openDirect always fails, so that all writes go through the kernel's cache.
func openDirect(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func notDirect(error) bool { return false }

// syncData makes a file's written bytes durable.
func syncData(f *os.File) error { return f.Sync() }
