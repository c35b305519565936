package node_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// readWorld is a server, a client that reads the same znodes round after round, and
// one that changes them.
type readWorld struct {
	*pingWorld
	prepared bool // the readers use zkbulk.NewReads, not a loop of Get
	readers  *vtime.Process
	paths    []string
	same     sameReads
}

// sameReads is what the readers of a world share: what they have read.
type sameReads struct {
	env.Shared
	last  map[string]any
	found int
}

func (s *sameReads) Same(place string, value any, equal func(last any) bool) any {
	if last, ok := s.last[place]; ok && equal(last) {
		s.found++
		return last
	}
	s.last[place] = value
	return value
}

var errOdd = errors.New("odd content")

const readPaths = 6

func readPath(i int) string { return fmt.Sprintf("/r%d", i) }

// read is the reader's program. It writes down every content that is not what it has
// read there before, and refuses some.
func (w *readWorld) read(p *vtime.Process, zk env.ZooKeeper) {
	reads := zkbulk.PlainReads(zk, w.paths)
	if w.prepared {
		reads = zkbulk.NewReads(zk, w.paths)
	}
	before := map[int]string{}
	for {
		err := reads.Each(func(i int, data []byte, err error) error {
			if err != nil {
				return err
			}
			if content := string(data); content == "odd" {
				delete(before, i)
				return errOdd
			} else if old, known := before[i]; !known || old != content {
				w.log = append(w.log, fmt.Sprintf("%v %s %d: %q", w.world.Now(), p.Node().Name(), i, content))
				before[i] = content
			}
			return nil
		}, nil)
		w.log = append(w.log, fmt.Sprintf("%v %s round: %v", w.world.Now(), p.Node().Name(), err))
		p.Sleep(100 * time.Millisecond)
	}
}

// start starts the clients; change is that of the one which does not read.
func (w *readWorld) start() (change func(what string, i int)) {
	w.same.last = map[string]any{}
	for i := range readPaths {
		w.paths = append(w.paths, readPath(i))
	}
	var writer env.ZooKeeper
	writers := w.program(&w.same, "b", func(p *vtime.Process, zk env.ZooKeeper) {
		for i := range readPaths {
			_, _ = zk.Create(readPath(i), []byte("first"), env.CreateOptions{})
		}
		writer = zk
		p.Sleep(time.Hour)
	})
	w.readers = w.program(&w.same, "a", w.read)
	w.program(&w.same, "c", w.read)
	return func(what string, i int) {
		if writer == nil || writers.Dead() {
			return
		}
		writers.Go("change", func() {
			switch what {
			case "delete":
				_ = writer.Delete(readPath(i), env.AnyVersion)
			case "create":
				_, _ = writer.Create(readPath(i), []byte("again"), env.CreateOptions{})
			case "empty":
				_ = writer.Set(readPath(i), nil, -1)
			default:
				_ = writer.Set(readPath(i), []byte(what), -1)
			}
		})
	}
}

func (w *readWorld) play(script []step) error {
	change := w.start()
	between, back := []string{"a"}, []string{"zk"}
	for _, s := range script {
		w.at(time.Duration(s.AtMs)*time.Millisecond, func() {
			switch s.What {
			case "cut":
				_ = w.net.Partition(between, back)
			case "heal":
				_ = w.net.HealBoth(between, back)
			case "reset":
				_ = w.net.ResetConns("a", "zk")
			case "lose":
				_ = w.net.LoseAnswer("zk", 2181, 1)
			case "restart":
				w.server.Stop()
				_ = w.server.Start()
			case "follower":
				w.server.Place("a", 50*time.Millisecond)
			case "leader":
				w.server.Unplace("a")
			case "crash":
				w.readers.Crash()
			case "stop":
				w.readers.Stop()
			default:
				change(s.What, s.Arg)
			}
		})
	}
	_, err := w.world.Run(vtime.Limits{Until: 12 * time.Second})
	return err
}

// Goal: prepared reads are a loop of Get: requests, contents, errors, instants and
// the trace, whatever happens to the znodes, the connection, the server and the
// reader, also when two readers keep what they have read once. Method: random scripts,
// played as a loop, as prepared reads, and as prepared reads whose task is always woken.
func TestPreparedReadsAreALoopOfGets(t *testing.T) {
	kinds := []string{
		"one", "one", "two", "odd", "empty", "delete", "create", "cut", "heal", "reset", "lose", "restart", "follower", "leader", "crash", "stop",
	}
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				AtMs: rapid.IntRange(0, 10_000).Draw(t, "at"),
				What: rapid.SampledFrom(kinds).Draw(t, "what"),
				Arg:  rapid.IntRange(0, readPaths-1).Draw(t, "arg"),
			}
		}), 0, 15).Draw(t, "script")
		play := func(prepared, noLeaps bool) outcome {
			w := &readWorld{pingWorld: newPingWorld(vtime.Config{Seed: 3, NoLeaps: noLeaps}, network.DefaultLatency()), prepared: prepared}
			defer w.world.Close()
			if err := w.play(script); err != nil {
				t.Fatal(err)
			}
			shared += w.same.found
			return w.outcome()
		}
		loop := play(false, false)
		for _, noLeaps := range []bool{false, true} {
			if diff := cmp.Diff(loop, play(true, noLeaps), cmp.AllowUnexported(zookeeper.Counters{})); diff != "" {
				t.Errorf("prepared, always woken %v (-loop +prepared):\n%s", noLeaps, diff)
			}
		}
	})
	if shared == 0 {
		t.Error("two readers of the same have never shared what they read")
	}
}
