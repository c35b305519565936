// Package names has comments on the right thing and on others. It is three sentences. It
// is used by a test of the rule alone.
package names

// take returns the batch.
func take() int { return 1 }

// give returns it, under another name.
func handOver() {} // want `comment on handOver begins with give: begin it with handOver`

// Thing is one.
type Thing struct{}

// Thing is made here, which is a sentence about another declaration.
func New() Thing { return Thing{} } // want `comment on New begins with Thing`

// Files are read in order, which begins no name of this package.
var order = []string{}

// old is the parameter.
func older(old int) bool { return old > 0 }

// Both are counted.
const (
	a = 1
	b = 2
)
