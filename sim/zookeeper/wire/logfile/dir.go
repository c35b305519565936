package logfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// LockDir locks a directory against other servers until the result is closed. The kernel releases
// the lock when the process ends, however it ends.
func LockDir(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		if errors.Is(err, errLocked) {
			return nil, fmt.Errorf("data directory %s is in use by another server", dir)
		}
		return nil, fmt.Errorf("lock of data directory %s: %w", dir, err)
	}
	return f, nil
}

// SyncDir makes the creation and renaming of a directory's files durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
