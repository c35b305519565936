//go:build !release

package golden

import (
	"embed"
	"io/fs"
)

//go:embed *.json known_failing.txt
var embedded embed.FS

// FS returns the vectors of this binary, without the case files, which are for recording.
func FS() fs.FS { return embedded }
