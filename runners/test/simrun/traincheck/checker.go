package traincheck

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/runners"
)

// slack is added to the reference's time limits, for messages and for loading a program.
const slack = 10 * time.Second

// Files reads the directories that all processes of a job share.
type Files interface {
	// StoredFile reads a file. ok is false if the file is missing.
	StoredFile(path string) (data []byte, ok bool, err error)
}

// Checker checks the invariants of one training job while it runs.
type Checker struct {
	// lag is the delay with which other hosts see a new file. lagSince is when this delay was set.
	lag, lagSince time.Duration
	spec          cluster.TrainingSpec
	quirks        quirks.Set
	now           time.Duration
	broken        []runners.Broken
	told          map[string]bool // keys that breaks has reported
	procs         map[string]*process
	names         []string
	// Present returns what a process waits for at the moment. ok is false if it waits for
	// nothing. Present may be nil.
	Present func(process string) (w job.Wait, ok bool)
	// Registered returns the address under which Consul finds a process. ok is false if Consul
	// finds none. The function is nil for jobs that do not register with Consul.
	Registered func(process string) (addr string, ok bool)
	// Placed returns the address that the environment variables give to a process. It is nil for
	// jobs that register their processes.
	Placed func(process string) string

	barrier   barrier
	stored    stored
	discovery discovery
	local     localBarriers
	ps        psBarriers
	life      life
	health    health
	saves     saves
	restores  restores
	// wrote is when an operator last wrote one of the job's files.
	wrote time.Duration
	// spoiled says that a file of the job was damaged. refusing is when the next writes of checkpoints
	// were made to fail, 0 once one has succeeded that began after that.
	spoiled  bool
	refusing time.Duration
}

// process holds what the checker has observed of one process of the job.
type process struct {
	running bool
	life    int // counts its starts
	started time.Duration
	ended   time.Duration
	serving bool // whether the process has served since its last start
	served  time.Duration
	retried time.Duration // when it last left its session in order to try again
	stepped time.Duration // when its latest step ended
	addr    string        // address at which it serves
	code    string        // how it ended, for example "code 1"
	lastTry string        // error after which it last tried again; "" for none since its start
	why     string        // why it did not try again after an error; "" if there was no error
	gaveUp  string        // why, together with the error with which it ended; "" if there was no error
}

// New makes the checker of a job. kept is the set of quirks that the job's code keeps.
func New(spec cluster.TrainingSpec, kept quirks.Set) *Checker {
	c := &Checker{spec: spec.WithDefaults(), quirks: kept, told: map[string]bool{}, procs: map[string]*process{}, names: spec.TrainerNames()}
	for _, name := range c.names {
		c.procs[name] = &process{}
	}
	c.barrier.init(c)
	c.discovery.init(c)
	c.life.c = c
	c.ps.waiting = map[string][]int{}
	c.ps.of = map[int]psArrival{}
	return c
}

// Broken lists the invariants broken so far, in the order in which the checker noticed them.
func (c *Checker) Broken() []runners.Broken { return c.broken }

// breaks records that an invariant is broken, once for each key. known names the quirk or
// rule by which the reference itself breaks it, "" if there is none.
func (c *Checker) breaks(invariant, key, known, format string, args ...any) {
	if key = invariant + " " + key; c.told[key] {
		return
	}
	c.told[key] = true
	c.broken = append(c.broken, runners.Broken{Invariant: invariant, At: c.now, Text: fmt.Sprintf(format, args...), Known: known})
}

// Observe receives every observation of the run, at the moment it is made.
func (c *Checker) Observe(o runners.Observation) {
	c.now = max(c.now, o.At)
	p := c.procs[o.Pod]
	if p != nil {
		c.life.seen(o.Pod, o.Op, o.Note)
	}
	switch {
	case strings.HasPrefix(o.Op, "zookeeper."):
		c.discovery.wrote(o)
	case p == nil:
	case o.Op == "process.start":
		c.leaves(o.Pod)
		*p = process{running: true, life: p.life + 1, started: o.At, code: p.code, gaveUp: p.gaveUp}
	case o.Op == "process.exit":
		if !strings.HasSuffix(o.Note, "code 1") {
			p.gaveUp = "" // a process that ends because of an error has the exit code 1
		}
		p.running, p.ended, p.code = false, o.At, o.Note
		if o.Pod == "chief" && o.Note == wellEnded {
			c.barrier.leaves()
		}
		c.barrier.ended(o.Pod)
		c.leaves(o.Pod)
	case o.Op == "training.finished" && o.Pod == "chief":
		c.finished(o)
	case o.Op == "training.saved":
		c.saved(o)
	case o.Op == "training.restored" && o.Pod == "chief":
		c.restored(o)
	case o.Op == "training.serving":
		p.serving, p.served, p.addr = true, o.At, o.Path
		c.stored.begins(o.Pod)
	case o.Op == "training.unhealthy":
		c.health.reported(c.now)
	case o.Op == "training.retry" || o.Op == "training.failed":
		c.barrier.gaveUp(o.Pod)
		c.leaves(o.Pod)
		p.retried = o.At
		if o.Op == "training.retry" {
			p.lastTry = o.Note
			return
		}
		c.failed(o)
		p.why = c.decision(o.Pod, o.Note)
		p.gaveUp = p.why + ", after " + o.Note
	}
}

// leaves records that a process has left its session.
func (c *Checker) leaves(who string) {
	delete(c.barrier.steps, who) // it asks for a barrier with the first step of each session
	if who == "chief" {
		c.health.waits = false // the chief checks the PS again in its next session
		c.saves = saves{newest: c.saves.newest}
	}
}

// decision says why a process did not retry after an error. failed has the form "class: error". A
// temporary error is retried, and ends a process only if the cluster has changed more often than the
// process retries. The exception is the chief's call that ends the PS (cpu_training.py:2122): it is
// not retried.
func (c *Checker) decision(who, failed string) string {
	class, _, _ := strings.Cut(failed, ": ")
	switch last := c.procs[who].lastTry; {
	case !job.Temporary(class) || last == "" && who != "chief":
		return "not tried again"
	case last != "" && strings.HasSuffix(failed, last):
		return fmt.Sprintf("the cluster had changed once more than the %d times it is tried again", *c.spec.MaxRetries)
	}
	return couldNotEndPS
}

const couldNotEndPS = "it could not end its PS"

// Why says why a process that failed did not try again, "" if none of its lives has failed.
func (c *Checker) Why(process string) string { return c.procs[process].why }

// Disturbed records a disturbance from outside of the job, its network or its ZooKeeper. A
// lasting disturbance goes on until Disturbed is called for it again, with over set.
func (c *Checker) Disturbed(at time.Duration, what string, lasting, over bool) {
	c.now = max(c.now, at)
	// A PS whose memory changes may be healthy again, and then the chief reports nothing more.
	c.health.waits = c.health.waits && !strings.HasPrefix(what, "trainer.memory")
	switch kind, _, _ := strings.Cut(what, " "); kind {
	case "trainer.torn-file", "trainer.garbled-file":
		c.spoiled = true
	case "trainer.save-errors":
		c.refusing = max(c.now, 1)
	}
	c.discovery.disturbed(what, lasting, over)
}

// FilesLate records that from now on other hosts see new file names only after lag. 0 makes
// all names visible at once.
func (c *Checker) FilesLate(at, lag time.Duration) {
	c.now = max(c.now, at)
	c.lag, c.lagSince = lag, c.now
}

// Look checks the files, and all invariants that have a time limit.
func (c *Checker) Look(now time.Duration, files Files) error {
	c.now = max(c.now, now)
	c.barrier.look()
	c.discovery.look()
	c.life.look()
	c.lookAtEnd()
	c.lookAtPS()
	c.lookAtHealth()
	return c.stored.look(c, files)
}

// Unchecked lists the invariants that this job gave no occasion to check, each with the
// reason.
func (c *Checker) Unchecked() (list []string) {
	for _, one := range []struct {
		is   bool
		what string
	}{
		{c.barrier.placings == 0, "INV-1, INV-2 (no barrier was placed)"},
		{c.spec.RestoreDir == "", "INV-3 (no restore_dir)"},
		{c.local.workers == 0, "INV-6 (no local cluster)"},
		{c.ps.next == 0, "INV-7 (nobody came to a PS barrier)"},
	} {
		if one.is {
			list = append(list, one.what)
		}
	}
	return list
}
