package simtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/replay"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Cluster is a cluster that lives as long as a test. Only the test's own goroutine may use
// it. Its methods from runners.Observer return errors, so they suit the check functions of
// Within. The methods of act.go change the cluster, and end the test if they fail.
type Cluster struct {
	runners.Observer

	tb      testing.TB
	cluster runners.Cluster
	spec    runners.Spec
	config  config
}

// config holds the settings that options change.
type config struct {
	runner runners.Runner
	tail   int
}

// Option changes how a cluster is run.
type Option func(*config)

// On builds the cluster with the given runner instead of runners/test/simrun's.
func On(r runners.Runner) Option { return func(c *config) { c.runner = r } }

// LogTail sets how many of the cluster's latest observations are logged if the test fails.
// The default is 20.
func LogTail(n int) Option { return func(c *config) { c.tail = n } }

// Start builds the cluster of a spec and starts its pods. The cluster ends with the test.
//
// If spec.Conf is empty, it becomes runners.ConfV3, whose agents serve what is published to the
// layout "main". If spec.Seed is 0, the seed comes from the environment variable MONOSIM_SEED, or
// is 1 without that variable. Start sets spec.Replay to the command that repeats the test. An
// inconsistent spec ends the test.
func Start(tb testing.TB, spec runners.Spec, options ...Option) *Cluster {
	tb.Helper()
	c := Build(tb, spec, options...)
	c.Start()
	return c
}

// Build builds the cluster of a spec as Start does, but leaves its pods stopped until
// Cluster.Start. ZooKeeper and the store of models run already.
func Build(tb testing.TB, spec runners.Spec, options ...Option) *Cluster {
	tb.Helper()
	c := &Cluster{tb: tb, config: config{runner: &simrun.Runner{CheckOwner: true}, tail: 20}}
	for _, option := range options {
		option(&c.config)
	}
	if spec.Conf == "" {
		spec.Conf, spec.ConfName = runners.ConfV3, "runners.ConfV3"
	}
	spec.Seed = replay.Seed(tb, spec.Seed)
	if spec.Replay == "" {
		spec.Replay = replay.Command(tb, spec.Seed)
	}
	cluster, err := c.config.runner.Build(spec)
	if err != nil {
		tb.Fatalf("build the cluster: %v", err)
	}
	c.Observer, c.cluster, c.spec = cluster, cluster, spec
	tb.Cleanup(c.end)
	return c
}

// Seed returns the seed of the run.
func (c *Cluster) Seed() uint64 { return c.spec.Seed }

// Raw returns the cluster as its runner built it. It gives access to methods that Cluster
// lacks, such as calls to model servers that go on while time passes:
//
//	call, err := c.Raw().(runners.Caller).Predict("shard0-replica0", "entry", spec, time.Second)
func (c *Cluster) Raw() runners.Cluster { return c.cluster }

// Must ends the test if err is not nil or the cluster itself broke. The message has the
// cluster time, the seed and the command that repeats the test. If err is
// runners.ErrUnsupported, Must skips the test instead.
func (c *Cluster) Must(err error) {
	c.tb.Helper()
	if errors.Is(err, runners.ErrUnsupported) {
		c.tb.Skip(err)
	}
	if err != nil {
		c.fail(c.stamped(err))
	}
	if broken := c.cluster.Failure(); broken != "" {
		c.fail(c.stamped(fmt.Errorf("the run itself broke: %s", broken)))
	}
}

func (c *Cluster) stamped(err error) error {
	return fmt.Errorf("%s: %w", runners.Stamp(c.cluster.Now()), err)
}

// fail ends the test with an error, the seed, and the command that repeats the test.
func (c *Cluster) fail(err error) {
	c.tb.Helper()
	c.tb.Fatalf("%v\n    seed %d, replay with: %s", err, c.spec.Seed, c.spec.Replay)
}

// end closes the cluster at the end of the test. If the test failed, end logs the latest
// observations.
func (c *Cluster) end() {
	if broken := c.cluster.Failure(); broken != "" && !c.tb.Failed() {
		c.tb.Errorf("%v\n    seed %d, replay with: %s", c.stamped(fmt.Errorf("the run itself broke: %s", broken)), c.spec.Seed, c.spec.Replay)
	}
	if log := c.cluster.Log(); c.tb.Failed() && c.config.tail > 0 && len(log) > 0 {
		c.tb.Log(tailOf(log, c.config.tail))
	}
	c.cluster.Close()
}

// tailOf formats the last n observations of a log, one a line.
func tailOf(log []runners.Observation, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "what the cluster did last (%d of %d):", min(n, len(log)), len(log))
	for _, o := range log[max(0, len(log)-n):] {
		fmt.Fprintf(&b, "\n    %s %s", runners.Stamp(o.At), strings.Join(strings.Fields(o.Pod+" "+o.Op+" "+o.Path+" "+o.Note), " "))
	}
	return b.String()
}
