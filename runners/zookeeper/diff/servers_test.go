package diff_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
)

func TestTheServedMachineBehavesAsTheMachine(t *testing.T) {
	served, err := diff.ServeMachine(zookeeper.V38)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	}()
	compare(t, 20_000, newMachine(zookeeper.V38), diff.TCP{Label: "served machine", Addr: served.Addr()})
}

func TestTheRealServerBehavesAsTheMachine(t *testing.T) {
	real := server.ForTest(t, diff.RealConfig())
	compare(t, 6_000, diff.TCP{Label: "real server", Addr: real.Addr()}, newMachine(zookeeper.V38))
}

// compare plays scripts on the servers and fails the test on a difference. Its seeds differ
// from those of `monosim zookeeper check`, so that more scripts are covered.
func compare(t *testing.T, steps int, servers ...diff.Server) {
	t.Helper()
	if testing.Short() {
		steps /= 5
	}
	report, err := diff.Check(diff.Options{Seed: 1 << 40, Steps: steps, Root: "/t"}, servers...)
	for again := 1; errors.Is(err, diff.ErrNoAnswer) && again <= 3; again++ {
		t.Logf("%v: played again", err)
		report, err = diff.Check(diff.Options{Seed: 1 << 40, Steps: steps, Root: fmt.Sprintf("/t%d", again)}, servers...)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Differences {
		t.Errorf("seed %d, -%s +%s:\n%s\nthe script:\n%s", d.Seed, d.First, d.Then, d.Text, d.Script)
	}
}
