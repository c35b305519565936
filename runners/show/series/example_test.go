package series_test

import (
	"fmt"
	"os"

	"github.com/monosim/monosim/runners/show/series"
)

func ExampleWrite() {
	type sample struct{ at, size float64 }
	columns := []series.Column[sample]{
		{Name: "at_s", Value: func(s *sample) float64 { return s.at }},
		{Name: "size", Value: func(s *sample) float64 { return s.size }},
	}
	err := series.Write(os.Stdout, columns, []sample{{0.5, 100}, {60, 1.0 / 3}, {61, -0}})
	fmt.Println(err)

	// Output:
	// at_s,size
	// 0.5,100
	// 60,0.333
	// 61,0
	// <nil>
}
