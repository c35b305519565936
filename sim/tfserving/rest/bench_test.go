package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// kibibyte is the body of a Predict request of 1 KiB: 17 rows of 15 numbers.
var kibibyte = `{"instances": [` + strings.Repeat("[0.1,0.22,0.333,1.5,2,-3,0,100,0.1,0.2,0.3,0.4,0.5,0.6,0.7],", 16) +
	"[0.1,0.22,0.333,1.5,2,-3,0,100,0.1,0.2,0.3,0.4,0.5,0.6,0.7]]}"

func predictKibibyte(h *rest.Handler) rest.Response {
	return h.Serve(context.Background(), rest.Request{
		Method: "POST", Target: "/v1/models/m:predict", Body: []byte(kibibyte),
	})
}

func BenchmarkPredict1KiB(b *testing.B) {
	h := rest.New(&echo{world{inputs: inputs(dtypes{"x": dtFloat})}}, rest.Options{Profile: tfserving.ProfileHead})
	b.SetBytes(int64(len(kibibyte)))
	for b.Loop() {
		if r := predictKibibyte(h); r.Status != 200 {
			b.Fatal(string(r.Body))
		}
	}
}

// Goal: the number of allocations grows at most linearly with the numbers in a body. Reading and
// writing one number takes at most four allocations.
func TestAllocations(t *testing.T) {
	h := rest.New(&echo{world{inputs: inputs(dtypes{"x": dtFloat})}}, rest.Options{Profile: tfserving.ProfileHead})
	const limit = 4 * 17 * 15
	if got := testing.AllocsPerRun(20, func() { predictKibibyte(h) }); got > limit {
		t.Errorf("%.0f allocations for %d bytes, want at most %d", got, len(kibibyte), limit)
	}
}
