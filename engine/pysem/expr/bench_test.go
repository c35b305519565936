package expr_test

import (
	"testing"

	"github.com/monosim/monosim/engine/pysem/expr"
)

// BenchmarkCondition evaluates compiled conditions such as those in layout filters.
func BenchmarkCondition(b *testing.B) {
	for _, source := range []string{"i % 4 == 1", "i in range(3)", "i in (1, 2, 5) and not i == 2", "any(i == k for k in [1, 2])"} {
		p, err := expr.Compile(source)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(source, func(b *testing.B) {
			b.ReportAllocs()
			names := expr.Names{Locals: []expr.Name{{ID: "i", Value: 7}}}
			for b.Loop() {
				_, _ = p.Holds(names)
			}
		})
	}
}
