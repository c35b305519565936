package traincheck

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners"
)

// slack is what processes may take beside the times of the reference: messages, and the import
// of a program.
const slack = 10 * time.Second

// Files are what the directories of a job hold.
type Files interface {
	// StoredFile reads a file; ok is false for none.
	StoredFile(path string) (data []byte, ok bool, err error)
}

// Checker looks at one job.
type Checker struct {
	// lag is how much later files are visible to other hosts, since lagSince.
	lag, lagSince time.Duration
	spec          cluster.TrainingSpec
	quirks        quirks.Set
	now           time.Duration
	broken        []runners.Broken
	told          map[string]bool // what was told of, by a key
	procs         map[string]*process
	names         []string

	barrier   barrier
	stored    stored
	discovery discovery
	local     localBarriers
	ps        psBarriers
}

// process is what was seen of one of the job's.
type process struct {
	running bool
	life    int // how often it was started
	started time.Duration
	ended   time.Duration
	serving bool // since it was started
	served  time.Duration
}

// New makes the checker of a job with quirks.
func New(spec cluster.TrainingSpec, kept quirks.Set) *Checker {
	c := &Checker{spec: spec.WithDefaults(), quirks: kept, told: map[string]bool{}, procs: map[string]*process{}, names: spec.TrainerNames()}
	for _, name := range c.names {
		c.procs[name] = &process{}
	}
	c.barrier.init(c)
	c.discovery.init(c)
	c.ps.waiting = map[string][]int{}
	c.ps.of = map[int]psArrival{}
	return c
}

// Broken are the invariants that broke so far, in the order in which that was seen.
func (c *Checker) Broken() []runners.Broken { return c.broken }

// breaks takes down that an invariant broke, once for each key. known is the quirk by which the
// reference breaks it, where the job keeps that one; "" for none.
func (c *Checker) breaks(invariant, key, known, format string, args ...any) {
	if key = invariant + " " + key; c.told[key] {
		return
	}
	c.told[key] = true
	c.broken = append(c.broken, runners.Broken{Invariant: invariant, At: c.now, Text: fmt.Sprintf(format, args...), Known: known})
}

// Observe is told of all observations of the run, as they are made.
func (c *Checker) Observe(o runners.Observation) {
	c.now = max(c.now, o.At)
	p := c.procs[o.Pod]
	switch {
	case strings.HasPrefix(o.Op, "zookeeper."):
		c.discovery.wrote(o)
	case p == nil:
	case o.Op == "process.start":
		*p = process{running: true, life: p.life + 1, started: o.At}
	case o.Op == "process.exit":
		p.running, p.ended = false, o.At
		c.barrier.ended(o.Pod)
	case o.Op == "training.serving":
		p.serving, p.served = true, o.At
		c.stored.begins(o.Pod)
	case o.Op == "training.retry" || o.Op == "training.failed":
		c.barrier.gaveUp(o.Pod)
	}
}

// Disturbed is told when something is done to the job, its network or its ZooKeeper from
// outside; lasting says that it goes on until the same is told with over.
func (c *Checker) Disturbed(at time.Duration, what string, lasting, over bool) {
	c.now = max(c.now, at)
	c.discovery.disturbed(what, lasting, over)
}

// FilesLate is told that names which are made from now on become visible to other hosts so much
// later, and that all are visible with 0.
func (c *Checker) FilesLate(at, lag time.Duration) {
	c.now = max(c.now, at)
	c.lag, c.lagSince = lag, c.now
}

// Look looks at what should have happened by now, and at the files.
func (c *Checker) Look(now time.Duration, files Files) error {
	c.now = max(c.now, now)
	c.barrier.look()
	c.discovery.look()
	return c.stored.look(c, files)
}
