package world

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/files"
)

// These are the durations of code whose execution is not simulated. Each is drawn between two
// bounds, and the lower bound is the default. They were measured on the reference's own agents
// (runners/test/BLACKBOX.md).
var (
	// paceImport is how long an agent imports its modules before it starts (BB-3).
	paceImport = span{"pace.import", 500 * time.Millisecond, 1300 * time.Millisecond}
	// An agent writes its first model config 70 to 110 ms after it has started its model server
	// (BB-2.1). In between it starts a ZooKeeper client and then a gRPC server.
	paceConnect = span{"pace.connect", 40 * time.Millisecond, 65 * time.Millisecond}
	paceServe   = span{"pace.serve", 30 * time.Millisecond, 45 * time.Millisecond}
	// paceWatch is the time from a watch event until the thread that calls watchers reads the
	// change, 0.2 to 4 ms. paceCall is the time from an answer to a program's next call, 0.1 to 0.7
	// ms (BB-2.5).
	paceWatch = span{"pace.watch", 200 * time.Microsecond, 4 * time.Millisecond}
	paceCall  = span{"pace.call", 100 * time.Microsecond, 700 * time.Microsecond}
	// A loop that sleeps for a second repeats every 1.003 to 1.006 s (BB-2.9). paceRound is the
	// part of this excess that all loops of a container share, because containers share their
	// processors with others. paceJitter is the part that differs from iteration to iteration.
	paceRound  = span{"pace.round", 3 * time.Millisecond, 5500 * time.Microsecond}
	paceJitter = span{"pace.jitter", 0, 500 * time.Microsecond}
	// paceServer is how long a model server takes to read its flags and files. It may finish before
	// or after the agent writes its first model config.
	paceServer = span{"pace.server", 20 * time.Millisecond, 220 * time.Millisecond}
	// paceWake is how late the model server's polling loops wake up. The next sleep of a loop
	// begins at that later time.
	paceWake = span{"pace.wake", 100 * time.Microsecond, time.Millisecond}
)

// Some containers start slowly. One in 8 takes up to ten times as long. This was measured on
// containers that shared their processors (BB-2.1).
const (
	slowSite  = "pace.slow"
	slowOneIn = 8
	slowGrade = 10
	slowMost  = 10
)

// hashSeedSite names the random choice of an agent's Python hash seed, which determines the order
// of its sets of strings. Choice 0, the default, sorts them (BB-2.4).
const hashSeedSite = "python.hashseed"

// hashSeedVariable is an environment variable that replaces the random choice of the hash seed.
const hashSeedVariable = "PYTHONHASHSEED"

// hashSeedOf returns the hash seed that the spec's environment sets for all agents. ok is false if
// the environment sets none. In that case each start of an agent draws a seed of its own.
func hashSeedOf(spec cluster.Spec) (seed uint32, ok bool) {
	for _, v := range spec.Env {
		if n, err := strconv.ParseUint(v.Value, 10, 32); v.Key == hashSeedVariable && err == nil {
			seed, ok = uint32(n), true
		}
	}
	return seed, ok
}

// span is a duration that is drawn at each use, between two bounds in steps of 100 µs.
type span struct {
	site     string
	min, max time.Duration
}

func (s span) draw(n *vtime.Node) time.Duration { return s.at(n).Draw() }

// at returns a delay that is drawn at each use from node n's random source.
func (s span) at(n *vtime.Node) *vtime.Delay {
	d := s.from(n.Source(s.site))
	return &d
}

func (s span) from(source *vtime.Source) vtime.Delay {
	const step = 100 * time.Microsecond
	return vtime.Delay{Source: source, Min: s.min, Step: step, Steps: int((s.max - s.min) / step)}
}

// of returns a delay that is drawn at each use from a random source for one task of the process.
func (s span) of(p *vtime.Process, task string) vtime.Delay {
	return s.from(p.OwnSource(s.site + ":" + task))
}

// drawPace draws the container's speed for its next start. slowness is the factor by which the
// start takes longer than a fast one. round is the time that one iteration of the agent's loops
// takes.
func (p *Pod) drawPace() {
	p.round = paceRound.draw(p.machine.Node)
	const quick = slowGrade * (slowOneIn - 1)
	grade := max(0, p.machine.Node.Source(slowSite).Intn(slowGrade*slowOneIn)-quick+1)
	p.slowness = 1 + float64(grade)*(slowMost-1)/slowGrade
}

// starting draws the duration of one part of the container's start, multiplied by slowness.
func (p *Pod) starting(s span) time.Duration {
	return time.Duration(p.slowness * float64(s.draw(p.machine.Node)))
}

// pacedTasks is an agent's env.Tasks. It adds the duration of the code between two sleeps to each
// sleep, so that loops shift relative to each other.
type pacedTasks struct {
	leap.Tasks
	p *Pod
}

// round draws the duration of one iteration of a loop.
func (t pacedTasks) round() time.Duration { return t.p.round + paceJitter.draw(t.Node()) }

// Sleep sleeps for d plus the time of one iteration. It adds nothing if d is 0.
func (t pacedTasks) Sleep(d time.Duration) {
	if d > 0 {
		d += t.round()
	}
	t.Process.Sleep(d)
}

// NewLoop makes a loop whose period is extended by the time of each iteration. Each loop has its
// own random choices.
func (t pacedTasks) NewLoop(period time.Duration) env.Loop {
	task := t.Current().Name()
	late, call := paceJitter.of(t.Process, task), paceCall.of(t.Process, task)
	late.Min += t.p.round
	return leap.NewTurns(t.Process, leap.Config{Period: period, Late: late, Call: call})
}

// pacedFiles is an agent's env.Files. With the fault agent.torn-writes, writing a file takes time.
type pacedFiles struct {
	*files.View
	p    *Pod
	life *vtime.Process
}

// WriteFile truncates the file at once, as Python's open does. Python buffers the text until there
// is much of it or the file is closed, and then writes it in one call. Until then the file is empty
// (Q31).
func (f pacedFiles) WriteFile(name string, data []byte) error {
	if f.p.writing == 0 {
		return f.View.WriteFile(name, data)
	}
	if err := f.View.WriteFile(name, nil); err != nil {
		return err
	}
	f.life.Sleep(f.p.writing)
	return f.View.WriteFile(name, data)
}

// pacedNetwork is an agent's env.Network. Its gRPC servers take time to start.
type pacedNetwork struct {
	env.Network
	p    *Pod
	life *vtime.Process
}

// Serve returns once the server has started.
func (n pacedNetwork) Serve(port, workers int, handler env.Handler) (env.Server, error) {
	n.life.Sleep(n.p.starting(paceServe))
	return n.Network.Serve(port, workers, handler)
}
