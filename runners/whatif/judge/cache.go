package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/model"
)

// FolderCache keeps samples as files in a folder, each written whole or not at all. A file
// is named by the hash of its key: plan with replaced values, condition, seed, window,
// replication and [Version].
type FolderCache struct{ dir string }

// OpenCache opens a cache and creates its folder if necessary.
func OpenCache(dir string) (*FolderCache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &FolderCache{dir}, nil
}

func (c *FolderCache) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name+".json")
}

// Get returns a sample of the cache. A sample that cannot be read counts as missing.
func (c *FolderCache) Get(key string) (*model.Sample, bool) {
	data, err := os.ReadFile(c.path(key))
	if err != nil {
		return nil, false
	}
	var s model.Sample
	if json.Unmarshal(data, &s) != nil {
		return nil, false
	}
	return &s, true
}

// Put writes a sample.
func (c *FolderCache) Put(key string, s *model.Sample) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, data)
}
