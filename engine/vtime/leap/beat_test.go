package leap_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// beats is a world of beats on several nodes. At random instants somebody changes whether a beat's
// waits end as usual, or reads the beats' counts.
type beats struct {
	w      *vtime.World
	log    []string
	odd    []bool
	beats  []*leap.Beat
	random *rand.Rand
}

func (b *beats) run(i int, p *vtime.Process) {
	waits := []time.Duration{time.Duration(1 + i%2), time.Duration(2 + i%3)}
	beat := leap.NewBeat(p, "beat", waits, func(part int) bool { return part == i%2 || !b.odd[i] })
	b.beats[i] = beat
	for part := 0; ; {
		part = beat.Run(part)
		b.log = append(b.log, fmt.Sprint(b.w.Now(), " ", i, " ended ", part, " after ", beat.Count(0), " ", beat.Count(1)))
		if b.odd[i] && beat.Count(0)%3 == 0 {
			p.Sleep(1)
		}
	}
}

// changes schedules random events: a process crashes or stops, another task runs, a beat becomes
// unusual or usual, or somebody reads the counts.
func (b *beats) changes(procs []*vtime.Process) {
	for range 1 + b.random.IntN(12) {
		i, what := b.random.IntN(len(procs)), b.random.IntN(8)
		b.w.Node("n0").After(time.Duration(b.random.IntN(300)), kindTick, func() {
			switch {
			case what == 0:
				procs[i].Crash()
			case what == 1:
				procs[i].Stop()
			case what == 2 && !procs[i].Dead():
				procs[i].Go("other", func() { procs[i].Sleep(2) })
			case what < 6 && b.beats[i] != nil:
				b.beats[i].Changes()
				b.odd[i] = !b.odd[i]
			default:
				for k, beat := range b.beats {
					if beat != nil {
						b.log = append(b.log, fmt.Sprint(b.w.Now(), " ", k, " has ", beat.Count(0), " ", beat.Count(1)))
					}
				}
			}
		})
	}
}

// Goal: beats that are leapt over give the same ends, counts and hash as beats whose every wait
// ends by an event. Method: random scripts with waits so short that ends, changes and reads often
// share an instant.
func TestBeatsThatLeapChangeNothing(t *testing.T) {
	all := uint64(0)
	for seed := range uint64(300) {
		play := func(noLeaps bool) (log []string, hash uint64, leapt uint64) {
			b := &beats{w: vtime.New(vtime.Config{Seed: seed, NoLeaps: noLeaps}), random: rand.New(rand.NewPCG(seed, 1))}
			defer b.w.Close()
			n := 1 + b.random.IntN(4)
			b.odd, b.beats = make([]bool, n), make([]*leap.Beat, n)
			var procs []*vtime.Process
			for i := range n {
				p := b.w.Node(fmt.Sprint("n", i)).NewProcess("p")
				procs = append(procs, p)
				p.Go("main", func() { b.run(i, p) })
			}
			b.changes(procs)
			for _, until := range []time.Duration{100, 150, 350} {
				if _, err := b.w.Run(vtime.Limits{Until: until}); err != nil {
					t.Fatal(err)
				}
				b.log = append(b.log, fmt.Sprintf("%016x %v", b.w.Hash(), b.w.Blocked()))
			}
			return b.log, b.w.Hash(), b.w.Leapt()
		}
		events, want, _ := play(true)
		asleep, got, leapt := play(false)
		if diff := cmp.Diff(events, asleep); diff != "" || got != want {
			t.Fatalf("seed %d, hash %016x and %016x (-events +asleep):\n%s", seed, want, got, diff)
		}
		all += leapt
	}
	if all < 10_000 {
		t.Errorf("%d waits were leapt over, want more", all)
	}
}
