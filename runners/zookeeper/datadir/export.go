package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Export writes a state to a directory, which must be empty or not there, as one snapshot in
// version-2 (ZK-25.7). It returns the name of the snapshot. A real server that is started on the directory has
// the same znodes and sessions, and goes on with the next zxid.
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

// empty makes a directory, or returns an error for one that has anything in it.
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
