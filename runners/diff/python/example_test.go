package python_test

import (
	"fmt"
	"io/fs"

	"github.com/monosim/monosim/runners/diff/python"
)

// This lists the stand-ins for packages that the reference imports but that cannot be installed.
func Example() {
	names, err := fs.Glob(python.Sources, "standins/*.py")
	fmt.Println(names, err)

	// Output:
	// [standins/__init__.py standins/compat.py standins/psutil.py standins/tensorflow.py standins/unused.py] <nil>
}
