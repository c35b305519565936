//go:build release

package golden

import (
	_ "embed"
	"io/fs"
)

//go:embed suites.zip
var packed []byte

var embedded = unpack(packed)

// FS returns the vectors of this binary, without the case files, which are for recording.
func FS() fs.FS { return embedded }
