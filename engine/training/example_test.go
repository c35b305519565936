package training_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
)

// The MLP scheduler describes a process in its environment. TF_CONFIG describes a job's processes.
func Example() {
	e := envtest.New(nil, map[string]string{
		"MLP_ROLE": "worker", "MLP_ROLE_INDEX": "1",
		"MLP_WORKER_NUM": "2", "MLP_WORKER_ALL_PRIMARY_HOSTS": "10.0.0.1,10.0.0.2", "MLP_WORKER_ALL_PORTS": "2222,2223",
	})
	mlp, err := training.NewMLPEnv(e)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := mlp.NumReplicas(pysem.Some("worker"))
	fmt.Println(mlp.Role, mlp.Index, "of", n, err)

	config, err := pysem.ParseJSON(`{"cluster": {"chief": ["h0:1"], "ps": ["h1:1", "h2:1"], "worker": ["h3:1"]}, "task": {"type": "ps", "index": 1}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var job training.ServiceDiscovery = training.NewTFConfigServiceDiscovery(config)
	defer job.Close()
	fmt.Println(job.Query("ps"))
	fmt.Println(job.Query("worker"))

	// Output:
	// WORKER 1 of 2 <nil>
	// [0=h1:1 1=h2:1] <nil>
	// [0=h0:1 1=h3:1] <nil>
}
