package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Export writes a state to a directory as one snapshot in version-2 (ZK-25.7) and returns
// the name of the snapshot. The directory must be empty or missing. A real server started on
// it has the same znodes and sessions, and continues with the next zxid.
func Export(dir string, image *zookeeper.Image) (name string, err error) {
	made, err := empty(dir)
	if err != nil {
		return "", err
	}
	below := filepath.Join(dir, "version-2")
	defer func() {
		if err == nil {
			return
		}
		err = errors.Join(err, os.RemoveAll(below))
		if made {
			err = errors.Join(err, os.Remove(dir))
		}
	}()
	if err := os.Mkdir(below, 0o755); err != nil {
		return "", err
	}
	name = filepath.Join(below, fmt.Sprintf("snapshot.%x", uint64(image.Zxid)))
	return name, wholefile.Write(name, appendSnapshot(nil, treeOf(image)))
}

// empty creates a directory, or accepts an existing empty one. made is true if it created
// the directory. It returns an error if the directory has any content.
func empty(dir string) (made bool, err error) {
	if err := os.Mkdir(dir, 0o755); err == nil {
		return true, nil
	} else if !errors.Is(err, os.ErrExist) {
		return false, err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s: found %s, want an empty directory, or one that is not there", dir, entries[0].Name())
	}
	return false, err
}
