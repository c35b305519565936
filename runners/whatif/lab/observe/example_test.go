package observe_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// A plan that real processes cannot realize is refused before anything is started.
func Example() {
	_, p, _, err := plan.Parse("plan.yaml", []byte(`apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {num_shard: 1, replicas: 2, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=5ms)"}
workload: {rate: 50/s, horizon: 10s}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(observe.Supported(p, observe.Options{Warm: time.Second}))

	// Output:
	// service.ps.cpu: found exp, want det, uniform, lognormal or affine, by which monosim tfserving can work
}
