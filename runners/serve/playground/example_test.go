package playground_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/serve/playground"
)

// This parses a description of three pods, and one with a mistake.
func Example() {
	d, err := playground.Parse("cluster.yaml", []byte("replicas: 3\n"))
	if err != nil {
		panic(err)
	}
	fmt.Println(len(d.Spec.Pods()), "pods")
	_, err = playground.Parse("cluster.yaml", []byte("replicas: 3\nreplica: 4\n"))
	fmt.Println(err.Error()[:60])
	// Output:
	// 3 pods
	// cluster.yaml:2: replica: found a field that there is not, wa
}
