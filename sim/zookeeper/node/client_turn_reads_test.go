package node_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// readRounds reads all data in each turn of a loop. It logs what is odd, and each round that has
// found something else than the round before.
func (w *surveyWorld) readRounds(p *vtime.Process, zk env.ZooKeeper) {
	note := func(format string, args ...any) {
		w.log = append(w.log, fmt.Sprintf("%v %s ", p.Node().World().Now(), p.Node().Name())+fmt.Sprintf(format, args...))
	}
	changes := uint64(0)
	loop := leap.NewTurns(p, leap.Config{Period: 300 * time.Millisecond})
	var names, found []string
	round := func() error {
		now, err := zk.Children("/names")
		if err != nil {
			return err
		}
		before := changes
		all, err := recipes.GetEach(zk, "/data", now, func(name string, data []byte, err error) (string, error) {
			if string(data) == "odd" {
				err = errOdd
			}
			return string(data), err
		})
		if err != nil {
			changes++
			note("odd: %v", err)
		} else if !slices.Equal(names, now) || !slices.Equal(found, all) {
			changes++
			names, found = now, all
		}
		if changes != before {
			note("found %v: %v", found, err)
		}
		return err
	}
	for {
		if err := round(); err != nil {
			note("round: %v", err)
		}
		loop.Turn()
	}
}

func playRounds(t *testing.T, seed uint64, law network.LatencyModel, noLeaps, slices bool) (surveyOutcome, uint64) {
	w := &surveyWorld{pingWorld: newPingWorld(vtime.Config{Seed: seed, NoLeaps: noLeaps}, law), rounds: true}
	return w.outcomeOf(t, seed, slices)
}

// Goal: rounds of reads give the same results with leaps and without, whether whole turns are
// skipped or only reads. Method: the same as for surveys.
func TestRoundsOfReadsThatLeapChangeNothing(t *testing.T) {
	scripts := uint64(*surveyScripts)
	if testing.Short() {
		scripts = min(scripts, 20)
	}
	leapt := uint64(0)
	for seed := range scripts {
		law := network.DefaultLatency()
		if seed%2 == 0 {
			law = narrow()
		}
		events, _ := playRounds(t, seed, law, true, false)
		for _, slices := range []bool{false, true} {
			asleep, steps := playRounds(t, seed, law, false, slices)
			if diff := cmp.Diff(events, asleep, cmp.AllowUnexported(zookeeper.Counters{})); diff != "" {
				t.Fatalf("seed %d, in slices %v (-events +asleep):\n%s", seed, slices, diff)
			}
			leapt += steps
		}
	}
	if leapt < 1000*scripts {
		t.Errorf("%d steps were leapt over in %d scripts, want more", leapt, scripts)
	}
}
