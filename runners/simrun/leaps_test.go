package simrun_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
)

// leapScripts is how many scripts TestLeapsMakeNoDifferenceUnderFaults plays, of each
// version; by hand thousands.
var leapScripts = flag.Int("simrun.leapscripts", 0, "how many random fault scripts to compare with leaps and without; 0 is few")

// playFaults lets random faults happen to a cluster, and looks at it at random instants.
// What it gives is all that can be seen of it.
func playFaults(t *testing.T, version string, seed uint64, noLeaps bool) (seen []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	spec := v3Spec()
	if version == "v1" {
		spec = v1Spec()
	}
	spec.Seed, spec.NoLeaps, spec.RestartAfter = seed, noLeaps, 5*time.Second
	built, err := (&simrun.Runner{Traffic: true}).Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer built.Close()
	c := built.(*simrun.Cluster)
	note := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	do(t, c.Start())
	if version == "v3" {
		do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
		do(t, c.Publish("", "ctr", "entry"))
	}
	pass(t, c, time.Duration(60+r.IntN(240))*time.Second)
	pods, kinds := c.Pods(), (&simrun.Runner{}).Faults()
	for range r.IntN(6) {
		k := kinds[r.IntN(len(kinds))]
		f := faultOf(k)
		f.Pod = pods[r.IntN(len(pods))].Name
		f.From = []string{pods[r.IntN(len(pods))].Name}
		begun := c.BeginFault(f)
		if errors.Is(begun, runners.ErrUnsupported) {
			continue
		}
		note("%s of %s: %v", k.Name, f.Pod, begun)
		pass(t, c, time.Duration(r.Int64N(int64(2*time.Minute))))
		note("%+v", c.Stats())
		if k.Lasts != "" && begun == nil {
			note("end: %v", c.EndFault(f))
		}
		pass(t, c, time.Duration(r.Int64N(int64(5*time.Minute))))
		note("%+v", c.Load())
	}
	pass(t, c, 3*time.Minute)
	note("%+v", c.Stats())
	note("%+v", c.ChoiceSites())
	for _, o := range c.Log() {
		note("%+v", o)
	}
	return seen
}

// Goal: with leaps and without a cluster under faults shows the same: what is observed,
// counts, traffic, how often choices were made, and the trace.
func TestLeapsMakeNoDifferenceUnderFaults(t *testing.T) {
	scripts := *leapScripts
	if scripts == 0 {
		scripts = 100
		if testing.Short() {
			scripts = 8
		}
	}
	lines := 0
	for _, version := range []string{"v3", "v1"} {
		for seed := range uint64(scripts) {
			without := playFaults(t, version, seed, true)
			with := playFaults(t, version, seed, false)
			if diff := cmp.Diff(without, with); diff != "" {
				t.Fatalf("%s, seed %d (-without leaps +with):\n%s", version, seed, diff)
			}
			lines += len(with)
		}
	}
	if lines < 50*scripts {
		t.Errorf("%d lines in %d scripts, want more to compare", lines, scripts)
	}
}
