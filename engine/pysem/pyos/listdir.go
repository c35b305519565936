package pyos

import (
	"github.com/monosim/monosim/engine/env"
)

// ListDir returns os.listdir(dir), sorted. Errors are those of [Error].
func ListDir(files env.Files, dir string) ([]string, error) {
	names, err := files.ReadDir(dir)
	if err != nil {
		return nil, Error(err, dir)
	}
	return names, nil
}
