//go:build !linux

package wire

import "os"

// syncData makes what was written to a file durable.
func syncData(f *os.File) error { return f.Sync() }
