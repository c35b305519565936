package steps_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
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
		{`the agents run on Python "2.7"`, `x.feature:3: python: found "2.7", want 3.8 to 3.13`},
		{`the agents keep the quirks "python,Q25=spoon"`, `x.feature:3: quirk: found Q25=spoon, want one of the forms`},
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

// Goal: a scenario is refused if a step is about something that its cluster does not have.
func TestScenariosAboutWhatIsNotThereAreRefused(t *testing.T) {
	const alone, agents = "a model server", "a v3 cluster of 2 shards with 3 replicas"
	// the cluster yg has no fourth replica
	const apart = agents + "\n    And replicas in \"lf:default, hl:default, lf:spare, yg:default\""
	for _, c := range []struct{ given, then, want string }{
		{agents, `When the model server starts`, `x.feature:4: the model server: found none, want one that the scenario has asked for by "a model server"`},
		{agents, `When the model config file /models.cfg is empty`, `x.feature:4: the model server: found none`},
		{agents, `Then within 5s the model server serves`, `x.feature:4: the model server: found none`},
		{agents, `Then the model server printed "x"`, `x.feature:4: the model server: found none`},
		{agents, `When the model server is killed`, `x.feature:4: the model server: found none`},
		{agents, `Then for 5s shard0-replica1 and shard2-replica0 run`, `x.feature:4: pod: found shard2-replica0, want one of the cluster: shard0-replica0 to shard1-replica2`},
		{agents, `Then the ps server of shard1-replica3 serves`, `x.feature:4: pod: found shard1-replica3, want one of`},
		{agents, `When shard0-replica9 is cut off from ZooKeeper for 5s`, `x.feature:4: pod: found shard0-replica9, want one of`},
		{agents, `When idc hl is cut off from ZooKeeper for 5s`, `x.feature:4: idc: found hl, want one that has a pod: lf`},
		{apart, `When idc yg is cut off from ZooKeeper`, `x.feature:5: idc: found yg, want one that has a pod: hl, lf`},
		{apart, `When shard0-replica0 and idc lf are cut off from idc hl and idc nowhere`, `x.feature:5: idc: found nowhere, want one that has a pod: hl, lf`},
		{alone, `When idc lf is cut off from ZooKeeper`, `x.feature:4: idc: found lf, want a cluster with agents; there is a model server only`},
		{alone, `When the cluster starts`, `x.feature:4: pods: found none, want a cluster with agents`},
		{alone, `Then every pod runs`, `x.feature:4: every pod: found none, want a cluster with agents; there is a model server only`},
		{alone, `Then every agent lists nothing`, `x.feature:4: every agent: found none`},
		{alone, `Then every model server has no version of ctr:entry`, `x.feature:4: every model server: found none`},
		{alone, `Then shard0-replica0 runs`, `x.feature:4: pod: found shard0-replica0, want one of the cluster: there is a model server only`},
		{alone, `When the config of ctr:entry has the policy "newest"`, `x.feature:4: version policy: found "newest", want "latest N", "latest_once", "all" or "specific V, V"`},
		{alone, `When the config of ctr:entry has the policy "specific one"`, `x.feature:4: version policy "specific one": found "one", want a number`},
		{alone, `When the config of ctr:entry has the policy "latest -1"`, `x.feature:4: version policy: found "latest -1"`},
		{"model servers keep 101% of the memory of unloaded models", `Then every pod runs`, `x.feature:3: memory of unloaded models: found 101%, want 100% or less`},
	} {
		text := "Feature: f\n  Scenario: s\n    Given " + c.given + "\n    " + c.then + "\n    When 1s pass\n    Then znode /a exists\n"
		s := &steps.Suite{Runner: &simrun.Runner{}, FS: fstest.MapFS{"x.feature": {Data: []byte(text)}}, Paths: []string{"x.feature"}}
		if _, err := s.List(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %s:\n got %v\nwant %s", c.given, c.then, err, c.want)
		}
	}
}
