package rustport_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/rustport"
)

// The user's settings replace those of the process, except for settings that have their default.
func Example() {
	base := rustport.NewRunnerConfig()
	base.NumPS, base.IsLocal = 3, false
	said := rustport.NewRunConfig()
	said.NumWorkers, said.TFConfig = 8, pysem.Some(`{"cluster": {"ps": ["a:1", "b:2"], "worker": ["c:3"]}, "task": {"type": "ps", "index": 0}}`)
	conf := said.ToRunnerConfig(base)
	fmt.Println(conf.NumPS, conf.NumWorkers, conf.DiscoveryType)

	guard, err := rustport.MonolithDiscovery(envtest.New(nil, nil), conf, pysem.OptString{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	fmt.Println(guard.Query("ps"))
	fmt.Println(guard.Query("chief"))
	// Output:
	// 3 8 Primus
	// [0=a:1 1=b:2] <nil>
	// [] Discovery error: Configuration error: name must be ps/worker, got "chief"
}
