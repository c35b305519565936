package steps_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/simrun"
	"github.com/monosim/monosim/vectors/scope"
)

func TestImpossibleWorldsAreRefused(t *testing.T) {
	register, err := scope.Quirks()
	if err != nil {
		t.Fatal(err)
	}
	unrepaired := register[slices.IndexFunc(register, func(q scope.Quirk) bool { return q.Decision == scope.Match })].ID
	for _, c := range []struct{ given, want string }{
		{"a v3 cluster of 0 shards with 1 replica", "x.feature:3: shards: found 0, want 1 or more"},
		{"a v3 cluster of 1 shard with 0 replicas", "x.feature:3: replicas: found 0, want 1 or more"},
		{"a v2 cluster of 1 shard with 1 replica", "x.feature:3: agent version: found 2, want 1 or 3"},
		{`the agent setting "num_pss" is "2"`, `x.feature:3: agent.conf: found the unknown key "num_pss"`},
		{`the ZooKeeper profile is "zookeeper-2.0"`, `x.feature:3: zookeeper profile: found "zookeeper-2.0"`},
		{`the model server profile is "tfs-9"`, `x.feature:3: `},
		{`the agents keep the quirks "Q` + "9999" + `"`, `x.feature:3: quirk: found "Q` + "9999" + `", want an id of the register`},
		{"the agents keep all quirks but " + unrepaired, "x.feature:3: quirk: found " + unrepaired + ", want one that can be repaired"},
		{`ctr:entry is declared with policy "newest"`, `x.feature:3: version policy: found "newest", want latest, latest_once, all, specific`},
	} {
		text := "Feature: f\n  Scenario: s\n    Given " + c.given + "\n    Then every pod runs\n"
		s := &steps.Suite{Runner: &simrun.Runner{}, FS: fstest.MapFS{"x.feature": {Data: []byte(text)}}, Paths: []string{"x.feature"}}
		if _, err := s.List(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.given, err, c.want)
		}
	}
}
