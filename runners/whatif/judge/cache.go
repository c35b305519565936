package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/model"
)

// FolderCache stores samples as files in a folder, each written atomically. A file's name is
// the hash of its key: the plan with replaced values, condition, seed, window, replication
// and [Version]. Its first line is the checksum of the key and of the rest of the file.
type FolderCache struct {
	dir string
	// Damaged, unless nil, is called with the path of a file whose checksum does not match, from
	// many goroutines. The sample is then simulated again.
	Damaged func(path string)
}

// OpenCache opens a cache and creates its folder if necessary.
func OpenCache(dir string) (*FolderCache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &FolderCache{dir: dir}, nil
}

func (c *FolderCache) path(key string) string {
	name := checksum(key)
	return filepath.Join(c.dir, name[:2], name+".sample")
}

// checksum returns the SHA-256 of the texts, each followed by a newline, in hexadecimal.
func checksum[T string | []byte](texts ...T) string {
	h := sha256.New()
	for _, one := range texts {
		h.Write([]byte(one))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Get returns a sample from the cache. A file that cannot be read, or whose checksum does
// not match, counts as missing.
func (c *FolderCache) Get(key string) (*model.Sample, bool) {
	path := c.path(key)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	sum, text, _ := bytes.Cut(data, []byte{'\n'})
	var s model.Sample
	if string(sum) != checksum([]byte(key), text) || json.Unmarshal(text, &s) != nil {
		if c.Damaged != nil {
			c.Damaged(path)
		}
		return nil, false
	}
	return &s, true
}

// Put writes a sample.
func (c *FolderCache) Put(key string, s *model.Sample) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, append([]byte(checksum([]byte(key), text)+"\n"), text...))
}
