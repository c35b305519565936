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
	"github.com/monosim/monosim/runners/test/simrun"
)

// leapScripts is how many random scripts TestLeapsMakeNoDifferenceUnderFaults runs for each
// version. By hand, use thousands.
var leapScripts = flag.Int("simrun.leapscripts", 0, "how many random fault scripts to compare with leaps and without; 0 is few")

// firstLeapScript allows running a large number of scripts in several parts.
var firstLeapScript = flag.Uint64("simrun.firstscript", 0, "the seed of the first of them")

// playFaults runs a cluster with random faults and reads its state at random instants. It
// returns everything that can be observed. The functions looks are called in between and at
// the end.
func playFaults(t *testing.T, runner *simrun.Runner, version string, seed uint64, noLeaps bool, looks ...func()) (seen []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	spec, until := v3Spec(), time.Duration(60+r.IntN(240))*time.Second
	if version == "v1" {
		spec = v1Spec()
		if seed%2 == 1 { // so many replicas that reads after watches (feeds) are leapt over, with faults in the meantime
			spec.Replicas, until = 10, time.Duration(r.IntN(6000))*time.Millisecond
		}
	} else if seed%2 == 1 { // so many bindings that reads of many znodes (surveys) are leapt over
		spec.Replicas = 4
		addPS(&spec, 0, 4)
	}
	spec.Seed, spec.NoLeaps, spec.RestartAfter = seed, noLeaps, 5*time.Second
	built, err := runner.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer built.Close()
	c := built.(*simrun.Cluster)
	note := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	look := func() {
		for _, look := range looks {
			look()
		}
	}
	do(t, c.Start())
	if version == "v3" {
		for _, s := range spec.Models[0].SubGraphs {
			do(t, c.Declare("ctr", s.Name, "/models/ctr/"+s.Name, "latest"))
			do(t, c.Publish("", "ctr", s.Name))
		}
	}
	pass(t, c, until)
	pods, kinds := c.Pods(), runner.Faults()
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
		look()
		note("%+v", c.Stats())
		if k.Lasts != "" && begun == nil {
			note("end: %v", c.EndFault(f))
		}
		pass(t, c, time.Duration(r.Int64N(int64(5*time.Minute))))
		note("%+v", c.Load())
	}
	pass(t, c, 3*time.Minute)
	look()
	note("%+v", c.Stats())
	note("%+v", c.ChoiceSites())
	for _, o := range c.Log() {
		note("%+v", o)
	}
	return seen
}

// Goal: a cluster under faults behaves the same with leaps and without. Compared are
// observations, counts, traffic, how often choices were made, and the trace.
func TestLeapsMakeNoDifferenceUnderFaults(t *testing.T) {
	scripts := *leapScripts
	if scripts == 0 {
		scripts = 30
		if testing.Short() {
			scripts = 8
		}
	}
	lines := 0
	compare := func(version string, seed uint64) {
		without := playFaults(t, &simrun.Runner{Traffic: true}, version, seed, true)
		with := playFaults(t, &simrun.Runner{Traffic: true}, version, seed, false)
		if diff := cmp.Diff(without, with); diff != "" {
			t.Fatalf("%s, seed %d (-without leaps +with):\n%s", version, seed, diff)
		}
		lines += len(with)
	}
	for _, seed := range []uint64{
		311, // with this seed, a survey is woken alone when a step of a ping is past
		365, // with this seed, a request is numbered while a survey on the same connection leaps
	} {
		compare("v3", seed)
	}
	for _, version := range []string{"v3", "v1"} {
		for seed := range uint64(scripts) {
			compare(version, *firstLeapScript+seed)
		}
	}
	if lines < 50*scripts {
		t.Errorf("%d lines in %d scripts, want more to compare", lines, scripts)
	}
}
