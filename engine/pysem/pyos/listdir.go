package pyos

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
)

// ListDir returns os.listdir(dir), sorted. Errors are those of [Error]. A name that no system call
// takes is a UnicodeEncodeError or a ValueError.
func ListDir(files env.Files, dir string) ([]string, error) {
	if err := message.Encodable(dir); err != nil {
		return nil, err
	}
	if strings.IndexByte(dir, 0) >= 0 {
		return nil, pysem.Raise("ValueError", "embedded null byte")
	}
	names, err := files.ReadDir(dir)
	if err != nil {
		return nil, Error(err, dir)
	}
	return names, nil
}
