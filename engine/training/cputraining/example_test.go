package cputraining_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/cputraining"
)

// Training continues with the kind of tables in its checkpoint.
func Example() {
	e := envtest.New(map[string]string{"/m/monolith_checkpoint": "builtin_hash_table_type: CUCKOO_HASH_MAP"}, nil)
	c := cputraining.ConfigClass.New()
	err := cputraining.MakeConfigBackwardCompatible(e, "/m", &c.CPUTrainingConfig)
	fmt.Println(c.UseNativeMultiHashTable, c.RetryWaitInSecs, err)
	// Output: False 30 <nil>
}
