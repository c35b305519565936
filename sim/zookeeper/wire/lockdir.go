package wire

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// lockDir keeps a second server out of a data directory. The kernel lets go of
// the lock when the process ends, however it ends.
func lockDir(dir string) (io.Closer, error) {
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
