package agentcheck

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/quirks"
)

// Goal: a pod has the PS whose numbers leave the number of its shard as the remainder. Without a shard it
// has none (Q161), or those of the first.
func TestTasksOfAPod(t *testing.T) {
	for _, c := range []struct {
		shard, shards string
		kept          quirks.Set
		want          []int
	}{
		{"0", "3", quirks.Python, []int{0, 3, 6}},
		{"1", "3", quirks.Python, []int{1, 4, 7}},
		{"2", "3", quirks.Python, []int{2, 5}},
		{"0", "1", quirks.Python, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"-1", "2", quirks.Python, nil},
		{"-1", "2", quirks.Fixed, []int{0, 2, 4, 6}},
	} {
		e := envtest.New(map[string]string{"a.conf": "deploy_type ps\nnum_ps 8\n"}, map[string]string{"SHARD_ID": c.shard, "MONOLITH_HOST_SHARD_N": c.shards})
		conf, err := agentconfig.FromFile(e, "a.conf")
		if err != nil {
			t.Fatal(err)
		}
		conf.Quirks = c.kept
		if got, err := tasksOf(conf); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("shard %s of %s: got %v (%v), want %v", c.shard, c.shards, got, err, c.want)
		}
	}
}
