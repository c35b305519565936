package leap_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// leapScripts is how many random scripts TestLeapsMakeNoDifference plays. `make fuzz` plays a
// million.
var leapScripts = flag.Uint64("vtime.leapscripts", 1000, "how many random scripts to compare with leaps and without")

// firstLeapScript is the seed of the first script, so that many scripts can be played in parts.
var firstLeapScript = flag.Uint64("vtime.firstscript", 0, "the seed of the first of them")

// lab is a world of processes whose loops ask one server for numbers. Latencies are so coarse that
// many events share an instant.
type lab struct {
	w        *vtime.World
	server   *vtime.Node
	spread   uint64
	values   []uint64
	observed []leap.Observed
	served   uint64
	lives    int
	log      []string
}

func (l *lab) note(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf("%d ", l.w.Now())+fmt.Sprintf(format, args...))
}

func (l *lab) set(key int, v uint64) {
	if l.values[key] != v {
		l.observed[key].BeforeChange()
		l.values[key] = v
	}
}

var (
	kindAsk    = vtime.NewKind("test.ask")
	kindNumber = vtime.NewKind("test.number")
)

// number is a request of a turn that asks the server for one number.
type number struct {
	l        *lab
	t        *leap.Turns
	node     *vtime.Node
	key      int
	up, down *vtime.Source
	value    uint64
	changes  uint64
	thinks   bool

	answers, done bool
	next          time.Duration
}

const (
	partAsk    = 3
	partAnswer = 4
)

func (q *number) delay(s *vtime.Source) time.Duration {
	return 1 + time.Duration(s.Uint64n(q.l.spread))
}

// ask asks the server for the number at key in the current turn, and returns it.
func (l *lab) ask(p *vtime.Process, key int, thinks bool) uint64 {
	if thinks {
		leap.Think(p)
	}
	t := leap.TurnsOf(p)
	a, waiting := t.Recall()
	q, _ := a.(*number)
	if q != nil && !waiting {
		return q.value
	}
	if q == nil {
		site := fmt.Sprint(p.Name(), " ", t.Task().Name())
		q = &number{l: l, t: t, node: p.Node(), key: key, thinks: thinks, up: p.Node().Source("up " + site), down: p.Node().Source("down " + site)}
		q.next = l.w.Now() + q.delay(q.up)
		q.Resume()
	}
	for !q.done {
		p.Park("a number")
	}
	q.done = false
	t.Record(q, &l.observed[key], q.changes)
	return q.value
}

// report makes the current turn write a number at the server, mostly the number already there. It
// returns the previous number.
func (l *lab) report(p *vtime.Process, key int, v uint64) (was uint64) {
	t := leap.TurnsOf(p)
	t.Write(leap.Note{Args: [2]int32{int32(key), int32(v)}})
	p.Pause(2)
	was = l.values[key]
	l.set(key, v)
	p.Pause(1)
	l.served++
	t.Write(leap.Note{Kind: int(was)})
	return was
}

// Handle is called when the request reaches the server, and again when the answer arrives.
func (q *number) Handle(uint64) {
	if !q.answers {
		q.serve()
		q.Resume()
		return
	}
	q.done = true
	q.t.Task().Wake()
}

func (q *number) serve() {
	q.l.served++
	q.answers, q.value, q.changes = true, q.l.values[q.key], q.l.observed[q.key].Version()
	q.next += q.delay(q.down)
}

func (q *number) Resume() {
	if q.answers {
		q.t.Schedule(q.node, partAnswer, q.next, kindNumber, q, 0)
		return
	}
	q.t.Schedule(q.l.server, partAsk, q.next, kindAsk, q, 0)
}

func (q *number) Thinks() bool            { return q.thinks }
func (q *number) Join(*leap.Sleeper) bool { return true }
func (q *number) Leave(*leap.Sleeper)     {}
func (q *number) Begin(at time.Duration)  { q.answers, q.next = false, at+q.delay(q.up) }

// Complete computes the request and its answer at once, without going through each message.
func (q *number) Complete(at, end time.Duration) (last time.Duration, steps, squares uint64) {
	up, _ := q.up.Ahead()
	down, _ := q.down.Ahead()
	asked := at + 1 + time.Duration(up.Ahead(0, q.l.spread))
	answered := asked + 1 + time.Duration(down.Ahead(0, q.l.spread))
	if answered >= end {
		return 0, 0, 0
	}
	q.up.Skip(1)
	q.down.Skip(1)
	if q.l.served++; q.l.values[q.key] != q.value {
		panic("an unusual answer in a leap")
	}
	return answered, 2, uint64(asked)*uint64(asked) + uint64(answered)*uint64(answered)
}

var _ leap.Completer = (*number)(nil)

func (q *number) Next() (time.Duration, int) {
	if q.answers {
		return q.next, partAnswer
	}
	return q.next, partAsk
}

func (q *number) Leap(b vtime.Bound) (bool, time.Duration) {
	if !q.answers {
		if !b.Allows(&q.t.Loop, q.next, partAsk) {
			return false, 0
		}
		q.t.Did(q.next)
		was := q.value
		if q.serve(); q.value != was {
			panic("an unusual answer in a leap")
		}
	}
	if !b.Allows(&q.t.Loop, q.next, partAnswer) {
		return false, 0
	}
	q.t.Did(q.next)
	return true, q.next
}

// mutex is a lock that goes to the task that has waited longest.
type mutex struct {
	tasks   leap.Tasks
	free    env.Cond
	held    bool
	waiting int
}

func (m *mutex) Lock() {
	if m.held {
		m.waiting++
		defer func() { m.waiting-- }()
		m.free.Wait()
	}
	m.held = true
	m.tasks.LockUsed(m, env.LockTaken)
}

func (m *mutex) Unlock() {
	m.tasks.LockUsed(m, env.LockFreed)
	if m.held = m.waiting > 0; m.held {
		m.free.Signal()
	}
}

func (m *mutex) Locked() bool { return m.held }

// program is one life of a process. Some of its loops take one or both of two locks, and a further
// task takes one from time to time.
type program struct {
	l       *lab
	p       *vtime.Process
	r       *rand.Rand
	locks   [2]*mutex
	signs   uint64
	rumours uint64    // of signs: what a loop has told others without anybody seeing it
	found   [4]uint64 // by loop: what was there before its report
	over    bool
}

func (l *lab) start(seed uint64, node string) *program {
	l.lives++
	p := l.w.Node(node).NewProcess(fmt.Sprint("life ", l.lives))
	g := &program{l: l, p: p, r: rand.New(rand.NewPCG(seed, 7))}
	for i := range g.locks {
		g.locks[i] = &mutex{tasks: leap.Tasks{Process: p}, free: p.NewCond("lock")}
	}
	for i := range 1 + g.r.IntN(4) {
		period := time.Duration(1 + g.r.IntN(60))
		var keys []int
		for range g.r.IntN(4) {
			keys = append(keys, g.r.IntN(len(l.values)))
		}
		locks, thinks, rests, reacts := max(g.r.IntN(9)-5, 0), g.r.IntN(3) == 0, g.r.IntN(2) == 0, g.r.IntN(4) == 0
		gossips, reports := g.r.IntN(3) == 0, -1
		if g.r.IntN(4) == 0 {
			reports = g.r.IntN(len(l.values))
		}
		p.Go(fmt.Sprint("loop ", i), func() { g.loop(i, period, keys, locks, thinks, rests, reacts, gossips, reports) })
	}
	if g.r.IntN(2) == 0 {
		pause := time.Duration(50 + g.r.IntN(400))
		p.Go("other", func() { g.other(pause) })
	}
	return g
}

func (g *program) loop(number int, period time.Duration, keys []int, locks int, thinks, rests, reacts, gossips bool, reports int) {
	known := make([]uint64, len(keys))
	late := vtime.Delay{Source: g.p.OwnSource(fmt.Sprint("late ", number)), Step: 1, Steps: 3}
	call := vtime.Delay{Source: g.p.OwnSource(fmt.Sprint("call ", number)), Step: 1, Steps: 2}
	cfg := leap.Config{Period: period, Late: late, Call: call}
	seen, heard, found := g.signs, g.rumours, g.found
	loop := leap.NewTurns(g.p, cfg)
	turn := func() bool {
		if g.over {
			g.p.Acts()
			g.l.note("%s loop %d sees the end", g.p.Node().Name(), number)
			return false
		}
		switch {
		case gossips:
			g.rumours = g.signs
		case heard != g.rumours:
			heard = g.rumours
			g.p.Acts()
			g.l.note("%s loop %d hears of sign %d", g.p.Node().Name(), number, heard)
		case found != g.found:
			found = g.found
			g.p.Acts()
			g.l.note("%s loop %d sees what was found: %d", g.p.Node().Name(), number, found)
		case len(keys) == 0 && seen != g.signs:
			seen = g.signs
			g.p.Acts()
			g.l.note("%s loop %d sees sign %d", g.p.Node().Name(), number, seen)
		}
		if locks&1 != 0 {
			g.locks[0].Lock()
			defer g.locks[0].Unlock()
		}
		if reports >= 0 {
			g.found[number] = g.l.report(g.p, reports, g.signs/2%3)
		}
		if locks&2 != 0 {
			g.locks[1].Lock()
			defer g.locks[1].Unlock()
		}
		for i, key := range keys {
			v := g.l.ask(g.p, key, thinks)
			if v == known[i] {
				continue
			}
			g.p.Acts()
			g.l.note("%s loop %d: %d is %d", g.p.Node().Name(), number, key, v)
			known[i] = v
			if reacts && v%3 == 1 {
				g.l.set((key+1)%len(g.l.values), v*31%5)
			}
		}
		return true
	}
	if rests {
		loop.Run(turn)
		return
	}
	for loop.Turn(); turn(); loop.Turn() {
	}
}

func (g *program) other(pause time.Duration) {
	for !g.over {
		g.p.Sleep(pause)
		g.l.note("%s locked: %v", g.p.Node().Name(), g.locks[0].Locked())
		g.locks[0].Lock()
		g.p.Sleep(3)
		g.locks[0].Unlock()
	}
}

// playLeaps plays the random script of a seed. It returns all that can be observed of the run, and
// how many steps were leapt over.
func playLeaps(t testing.TB, seed uint64, noLeaps bool) (seen string, leapt uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	w := vtime.New(vtime.Config{Seed: seed, NoLeaps: noLeaps})
	defer w.Close()
	l := &lab{w: w, server: w.Node("server"), spread: 1 + seed%7}
	keys := 1 + r.IntN(6)
	l.values, l.observed = make([]uint64, keys), make([]leap.Observed, keys)
	programs := make([]*program, 1+r.IntN(3))
	for i := range programs {
		programs[i] = l.start(seed*8+uint64(i), fmt.Sprint("node", i))
	}
	const end = 3000
	operator := w.Node("operator")
	for range r.IntN(40) {
		at, i, k, v := time.Duration(r.Int64N(end)), r.IntN(len(programs)), r.IntN(keys), uint64(r.IntN(4))
		what := r.IntN(12)
		operator.Schedule(at, kindTick, vtime.Func(func() {
			g := programs[i]
			switch what {
			case 0, 1, 2, 3:
				l.set(k, v)
			case 4:
				l.note("served %d, %d events, hash %x", l.look(), w.Events(), w.Hash())
			case 5:
				g.p.Crash()
				programs[i] = l.start(seed*8+uint64(i), fmt.Sprint("node", i))
			case 6:
				g.p.Stop()
			case 7:
				g.p.Go("end", func() { g.over = true })
			case 8:
				g.p.Changes()
				g.signs++
			case 10:
				g.p.Go("sign", func() { g.p.Sleep(1); g.signs++ })
			case 9:
				g.p.Go("visitor", func() { g.locks[1].Lock(); g.p.Sleep(2); g.signs++; g.locks[1].Unlock() })
			}
		}), 0)
	}
	for _, until := range []time.Duration{end / 3, end} {
		if _, err := w.Run(vtime.Limits{Until: until}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		l.note("served %d", l.look())
	}
	for _, b := range w.Blocked() {
		l.note("%v", b.Task)
	}
	l.note("%d events, hash %x, %v, choices %v", w.Events(), w.Hash(), l.values, w.Sites())
	return strings.Join(l.log, "\n"), w.Leapt()
}

func (l *lab) look() uint64 {
	l.w.CatchUp()
	return l.served
}

// Goal: runs with leaps and without cannot be told apart. Method: random programs and scripts, with
// latencies so coarse that most events share their instant with others.
func TestLeapsMakeNoDifference(t *testing.T) {
	var leapt uint64
	for seed := *firstLeapScript; seed < *firstLeapScript+*leapScripts; seed++ {
		without, _ := playLeaps(t, seed, true)
		with, n := playLeaps(t, seed, false)
		if with != without {
			a, b := strings.Split(without, "\n"), strings.Split(with, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("seed %d, line %d\nwithout leaps: %s\nwith leaps:    %s", seed, i, a[i], b[i])
				}
			}
			t.Fatalf("seed %d: %d lines without leaps, %d with", seed, len(a), len(b))
		}
		leapt += n
	}
	if leapt < 10**leapScripts {
		t.Errorf("%d steps were leapt over in %d scripts, want more", leapt, *leapScripts)
	}
}
