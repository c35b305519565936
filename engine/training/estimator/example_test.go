package estimator_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/estimator"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// User settings take precedence over the command line if they differ from RunConfig's defaults.
func Example() {
	e := envtest.New(map[string]string{"/models/3/x": "", "/models/12/x": "", "/models/tmp/x": ""}, nil)
	e.Log = envtest.Quiet{}
	p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags()}
	if _, err := p.Flags.Parse(e.Files, []string{"--num_ps=7", "--num_workers=9"}); err != nil {
		fmt.Println(err)
	}
	said := estimator.RunConfigClass.New()
	said.NumPS, said.ModelDir = 3, "/m"
	c, err := said.ToRunnerConfig(p)
	fmt.Println(said.UserParams(), err)
	fmt.Println(c.NumPS, c.NumWorkers, c.DiscoveryType, c.MaxRetryTimes)
	fmt.Println(estimator.SavedModelDir(e.Files, "/models"))
	// Output:
	// [num_ps model_dir] <nil>
	// 3 9 ZK 0
	// /models/12 <nil>
}
