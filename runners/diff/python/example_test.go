package python_test

import (
	"fmt"
	"io/fs"

	"github.com/monosim/monosim/runners/diff/python"
)

// What stands for packages of the reference that cannot be installed, for whoever runs it.
func Example() {
	names, err := fs.Glob(python.Sources, "standins/*.py")
	fmt.Println(names, err)

	// Output:
	// [standins/__init__.py standins/compat.py standins/psutil.py standins/tensorflow.py standins/unused.py] <nil>
}
