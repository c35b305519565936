//go:build release

package golden

import (
	_ "embed"
	"io/fs"
)

//go:embed suites.zip
var packed []byte

var embedded = unpack(packed)

// FS returns the golden vectors that are embedded in this binary. The case files are not among
// them, because only recording needs them.
func FS() fs.FS { return embedded }
