package steps_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: fixing a choice that no run makes is an error, because it is probably mistyped. It would
// have no effect.
func TestAChoiceThatIsNeverMadeIsAnError(t *testing.T) {
	fsys := fstest.MapFS{"x.feature": {Data: []byte(`Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 2s pass
    Then every pod runs
`)}}
	for _, c := range []struct {
		choice env.Choice
		want   string
	}{
		{env.Choice{Node: "zookeeper", Site: "network.latency:shard0-replica0:1", K: 2, Value: 77}, ""},
		{env.Choice{Node: "zookeper", Site: "network.latency:shard0-replica0:1", K: 2}, "--choice zookeper/network.latency:shard0-replica0:1#2=0: found no choice at zookeper/network.latency:shard0-replica0:1 in any run, want one of those that were made, as at zookeeper/network.latency:shard0-replica0:1, "},
		{env.Choice{Node: "zookeeper", Site: "network.latency:shard0-replica0:1", K: 1 << 40}, "--choice zookeeper/network.latency:shard0-replica0:1#1099511627776=0: found no choice #1099511627776 at zookeeper/network.latency:shard0-replica0:1 in any run, want #0 to #"},
	} {
		suite := &steps.Suite{Runner: &simrun.Runner{}, FS: fsys, Paths: []string{"."}, Seed: 1, Twice: true, Choices: []env.Choice{c.choice}}
		_, err := suite.Stream(context.Background(), &steps.Report{})
		var input *steps.InputError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &input) || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v:\n got %v\nwant %s", c.choice, err, c.want)
		}
	}
}
