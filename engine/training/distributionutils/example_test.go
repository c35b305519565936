package distributionutils_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/distributionutils"
	"github.com/monosim/monosim/engine/training/hvdlib"
)

// library is a fake library with rank 2 of 4.
type library struct{ inits int }

func (l *library) Init() error { l.inits++; return nil }
func (*library) Rank() int     { return 2 }
func (*library) Size() int     { return 4 }

// In synchronous training a process gets its rank from Horovod and saves to its own directory.
func Example() {
	e := envtest.New(nil, nil)
	e.Log = envtest.Quiet{}
	sync := distributionutils.SyncTraining{Env: e, Import: func(string) (hvdlib.Library, error) { return &library{}, nil }}
	c := cputraining.ConfigClass.New()
	c.ModelDir, c.UUID, c.NumPS, c.MergeSyncTrainingCkpt = "/m", "u", 3, false
	fmt.Println(sync.Init(&c))
	fmt.Println(c.Index, c.NumWorkers, c.NumPS, c.ModelDir)
	fmt.Println(distributionutils.MPISize(e))
	// Output:
	// <nil>
	// 2 4 0 /m/u/index-0002
	// 1 <nil>
}
