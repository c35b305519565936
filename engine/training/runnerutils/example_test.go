package runnerutils_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// A chief copies the checkpoint of another training, so that its model begins with it.
func Example() {
	e := envtest.New(map[string]string{"/r/checkpoint": "model_checkpoint_path: 'model.ckpt-5'\nall_model_checkpoint_paths: 'model.ckpt-5'\n"}, nil)
	e.Log = envtest.Quiet{}
	p := runnerutils.Process{Env: e, Flags: runnerutils.NewFlags()}
	if _, err := p.Flags.Parse(e.Files, []string{"--num_ps=2"}); err != nil {
		fmt.Println(err)
	}
	c := runnerutils.Class.New()
	c.ModelDir, c.RestoreDir = "/m", pysem.Some("/r")
	err := p.Init(&c)
	fmt.Println(c.NumPS, c.IsChief(), err)
	current, err := runnerutils.CheckpointStates{Env: e, Flags: p.Flags}.State("/m", "")
	fmt.Println(current.ModelCheckpointPath, err)
	// Output:
	// 2 true <nil>
	// /r/model.ckpt-5 <nil>
}
