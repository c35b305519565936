//go:build !release

package golden

import (
	"embed"
	"io/fs"
)

//go:embed *.json known_failing.txt
var embedded embed.FS

// FS returns the golden vectors that are embedded in this binary. The case files are not among
// them, because only recording needs them.
func FS() fs.FS { return embedded }
