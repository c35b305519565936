package node_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// surveyScripts is the number of random scripts in the tests of surveys. Manual runs use thousands.
var surveyScripts = flag.Int("node.surveyscripts", 60, "how many random scripts of surveys to compare")

// surveyWorld has a server, two clients that survey and one that writes. A survey reads the znodes
// below /data whose names are below /names, whenever either changes, and from time to time.
type surveyWorld struct {
	*pingWorld
	plain     bool // surveys are loops of Get
	rounds    bool // they read in turns of loops in place of surveys
	surveyors []*vtime.Process
	writer    *vtime.Process
	zk        env.ZooKeeper
	sessions  []env.ZooKeeper // of the surveyors
	leapt     uint64
	shared    int // how often a client has found what another one had
	found     map[*recipes.Found[string]]*kept
}

// kept records the data found by a survey as text, and which client found it first.
type kept struct{ first, was string }

// foundOf formats the data found by a survey as text.
func foundOf(f *recipes.Found[string]) string {
	var all strings.Builder
	for name, data := range f.All() {
		fmt.Fprintf(&all, " %s=%s", name, data)
	}
	return all.String()
}

// keep records what a client has found. The data must not change afterwards.
func (w *surveyWorld) keep(client string, f *recipes.Found[string]) {
	k := w.found[f]
	if k == nil {
		w.found[f] = &kept{client, foundOf(f)}
	} else if k.first != client {
		w.shared++
	}
}

// checkFound fails the test if recorded data has changed since it was found.
func (w *surveyWorld) checkFound(t *testing.T, seed uint64) {
	for f, k := range w.found { //lint:ordered the first that has changed ends the test
		if is := foundOf(f); is != k.was {
			t.Fatalf("seed %d: what %s has found was written to: got%s, want%s", seed, k.first, is, k.was)
		}
	}
}

var errOdd = errors.New("odd content")

// survey reads the data of all names, and logs what was found and what was odd.
func (w *surveyWorld) survey(p *vtime.Process, zk env.ZooKeeper, names *recipes.Names, blocks bool) error {
	note := func(format string, args ...any) {
		w.log = append(w.log, fmt.Sprintf("%v %s ", p.Node().World().Now(), p.Node().Name())+fmt.Sprintf(format, args...))
	}
	if w.plain {
		zk = struct{ env.ZooKeeper }{zk}
	}
	value := func(name string, data []byte, err error) (string, error) {
		switch {
		case string(data) == "odd":
			return "", errOdd
		case err != nil || len(data) == 0:
			note("%s is odd: %q %v", name, data, err)
			if !errors.Is(err, zkerrors.ErrNoNode) {
				return "", err
			}
		}
		return string(data), nil
	}
	var found []string
	var err error
	if blocks {
		var of *recipes.Found[string]
		of, err = recipes.GetFor(zk, names, "/data", func(name string) (string, error) {
			if name == "130" {
				return "", errOdd
			}
			return name, nil
		}, value)
		if found = append(found, foundOf(of)); of != nil {
			w.keep(p.Node().Name(), of)
		}
	} else {
		found, err = recipes.GetEach(zk, "/data", names.List(), value)
	}
	note("found %v: %s", err, found)
	return err
}

func (w *surveyWorld) start(names int) {
	w.found = map[*recipes.Found[string]]*kept{}
	w.writer = w.program("b", func(p *vtime.Process, zk env.ZooKeeper) {
		_, _ = zk.Create("/names", nil, env.CreateOptions{})
		_, _ = zk.Create("/data", nil, env.CreateOptions{})
		for i := range names {
			_, _ = zk.Create(fmt.Sprintf("/data/%d", i), []byte("first"), env.CreateOptions{})
			_, _ = zk.Create(fmt.Sprintf("/names/%d", i), nil, env.CreateOptions{})
		}
		w.zk = zk
		p.Sleep(time.Hour)
	})
	for _, name := range []string{"a", "c"} {
		at := len(w.sessions)
		w.sessions = append(w.sessions, nil)
		w.surveyors = append(w.surveyors, w.program(name, func(p *vtime.Process, zk env.ZooKeeper) {
			w.sessions[at] = zk
			_ = zk.EnsurePath("/names")
			if w.rounds {
				w.readRounds(p, zk)
				return
			}
			var last *recipes.Names
			_, err := recipes.NamesWatch(zk, "/names", func(names *recipes.Names) error {
				last = names
				return w.survey(p, zk, names, true)
			})
			w.log = append(w.log, fmt.Sprintf("%v %s watches: %v", w.world.Now(), name, err))
			for i := 0; ; i++ {
				p.Sleep(300 * time.Millisecond)
				if last != nil {
					_ = w.survey(p, zk, last, i%2 == 0)
				}
			}
		}))
	}
}

// change executes one step of a script: a write, a fault or a restart. arg is its argument.
func (w *surveyWorld) change(what string, arg int) {
	name := fmt.Sprint(arg)
	between, back := []string{"a"}, []string{"zk"}
	write := func(p *vtime.Process, zk env.ZooKeeper, fn func()) {
		if zk != nil && !p.Dead() {
			p.Go(what, fn)
		}
	}
	switch what {
	case "cut":
		_ = w.net.Partition(between, back)
	case "heal":
		_ = w.net.HealBoth(between, back)
	case "slow":
		_ = w.net.Slow(between, back, time.Duration(arg)*time.Millisecond)
	case "reset":
		_ = w.net.ResetConns("a", "zk")
	case "lose":
		_ = w.net.LoseAnswer("zk", 2181, 1)
	case "restart":
		w.server.Stop()
		_ = w.server.Start()
	case "leaderless":
		w.server.LoseLeader()
	case "elect":
		w.server.ElectLeader()
	case "follower":
		w.server.Place("a", 50*time.Millisecond)
	case "leader":
		w.server.Unplace("a")
	case "expire":
		for _, id := range w.server.SessionsOf("a") {
			w.server.KillSession(id)
		}
	case "crash":
		w.surveyors[0].Crash()
	case "stop":
		w.surveyors[0].Stop()
	case "halt":
		write(w.surveyors[0], w.sessions[0], func() { w.sessions[0].Stop() })
	case "own":
		for i, p := range w.surveyors {
			zk := w.sessions[i]
			write(p, zk, func() {
				_, err := zk.Create("/own"+name, []byte(what), env.CreateOptions{Ephemeral: true})
				_, _, got := zk.Get("/data/" + name)
				w.log = append(w.log, fmt.Sprintf("%v own %v %v", w.world.Now(), err, got))
			})
		}
	case "look":
		w.log = append(w.log, fmt.Sprintf("%v look %+v", w.world.Now(), w.server.Load()), fmt.Sprintf("%+v", w.net.Host("a").Counters()))
		if w.rounds {
			for _, b := range w.world.Blocked() {
				b.Since = 0 // not compared, because it is later for a turn that was gone through again
				w.log = append(w.log, fmt.Sprintf("%+v", b))
			}
		}
	default:
		zk := w.zk
		write(w.writer, zk, func() {
			switch what {
			case "delete":
				_ = zk.Delete("/data/"+name, env.AnyVersion)
			case "create":
				_, _ = zk.Create("/data/"+name, []byte("again"), env.CreateOptions{})
			case "same":
				_ = zk.Set("/data/"+name, []byte("first"), -1)
			case "empty":
				_ = zk.Set("/data/"+name, nil, -1)
			case "add":
				_, _ = zk.Create("/names/more"+name, nil, env.CreateOptions{})
				_, _ = zk.Create("/data/more"+name, []byte("more"), env.CreateOptions{})
			case "remove":
				_ = zk.Delete("/names/"+name, env.AnyVersion)
			default:
				_ = zk.Set("/data/"+name, []byte(what), -1)
			}
		})
	}
}

var surveyChanges = []string{
	"one", "two", "odd", "same", "empty", "delete", "create", "add", "add", "remove", "own", "own", "look", "look",
	"cut", "heal", "heal", "slow", "reset", "lose", "restart", "leaderless", "elect", "elect", "follower", "leader", "expire", "crash", "stop", "halt",
}

// play plays a random script that follows from the seed. With slices the run is interrupted at
// intervals.
func (w *surveyWorld) play(seed uint64, slices bool) error {
	r := rand.New(rand.NewPCG(seed, 7))
	names := 1 + r.IntN(250)
	w.start(names)
	const end = 6 * time.Second
	kinds := surveyChanges[:len(surveyChanges)-r.IntN(17)]
	for range r.IntN(25) {
		at := time.Duration(r.Int64N(int64(end)))
		what, arg := kinds[r.IntN(len(kinds))], r.IntN(names)
		w.at(at, func() { w.change(what, arg) })
	}
	every := time.Duration(1 + r.Int64N(int64(time.Second)))
	for at := time.Duration(0); at < end; {
		if at = end; slices {
			at = min(w.world.Now()+every, end)
		}
		if _, err := w.world.Run(vtime.Limits{Until: at}); err != nil {
			return err
		}
		w.outcome()
	}
	w.leapt = w.world.Leapt()
	return nil
}

// surveyOutcome holds everything by which two runs can be compared.
type surveyOutcome struct {
	Run   outcome
	Load  string
	Sites []vtime.Site
}

func playSurveys(t *testing.T, seed uint64, law network.LatencyModel, noLeaps, slices, plain bool) (surveyOutcome, uint64) {
	w := &surveyWorld{pingWorld: newPingWorld(vtime.Config{Seed: seed, NoLeaps: noLeaps}, law), plain: plain}
	return w.outcomeOf(t, seed, slices)
}

func (w *surveyWorld) outcomeOf(t *testing.T, seed uint64, slices bool) (surveyOutcome, uint64) {
	defer w.world.Close()
	w.server.CountTraffic("nobody")
	if err := w.play(seed, slices); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return surveyOutcome{w.outcome(), fmt.Sprintf("%+v", w.server.Load()), w.world.Sites()}, w.leapt
}

// narrow returns a latency model whose latencies are nearly equal, so that many messages arrive at
// the same instant.
func narrow() network.LatencyModel {
	return network.LatencyModel{Min: 200 * time.Microsecond, Spread: 3, LoopbackMin: 1000}
}

// Goal: surveys with leaps and without give the same results: what is found and when, counters,
// traffic, writes, the server's state, random draws and the trace. Method: random scripts of
// changes and faults, in one piece and in slices after which the state is inspected, with usual
// latencies and with latencies of which many are equal.
func TestSurveysThatLeapChangeNothing(t *testing.T) {
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
		events, _ := playSurveys(t, seed, law, true, false, false)
		for _, slices := range []bool{false, true} {
			asleep, steps := playSurveys(t, seed, law, false, slices, false)
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

// Goal: data that many clients find is stored once and never written to (SCL-13.4). Method: at the
// end of random scripts, everything that was found is compared with its earlier content.
func TestWhatIsFoundIsOneAndNeverChanges(t *testing.T) {
	shared := 0
	for seed := range uint64(20) {
		w := &surveyWorld{pingWorld: newPingWorld(vtime.Config{Seed: seed}, network.DefaultLatency())}
		w.outcomeOf(t, seed, false)
		w.checkFound(t, seed)
		shared += w.shared
	}
	if shared == 0 {
		t.Error("no client has found what another one had, want that equal findings are one")
	}
}

// byWriter groups the lines of a log by writer, in their order. It removes the time at the
// beginning of each line.
func byWriter(log []string) map[string][]string {
	lines := map[string][]string{}
	for _, line := range log {
		_, line, _ = strings.Cut(line, " ")
		writer, line, _ := strings.Cut(line, " ")
		lines[writer] = append(lines[writer], line)
	}
	return lines
}

// loopOutcome is for comparing runs whose times may differ by some nanoseconds. The order between
// two clients may then differ, but not the order of each client's own lines.
type loopOutcome struct {
	Outcome surveyOutcome
	Lines   map[string][]string
}

func loopOutcomeOf(t *testing.T, seed uint64, law network.LatencyModel, plain bool) loopOutcome {
	o, _ := playSurveys(t, seed, law, false, false, plain)
	lines := byWriter(o.Run.Log)
	o.Run.Log, o.Run.Events, o.Run.Hash, o.Load = nil, 0, 0, ""
	return loopOutcome{o, lines}
}

// Goal: GetEach finds the same data as a loop of Get, with the same requests. Method: random
// scripts, played both ways. Times may differ by some nanoseconds, because a step never arrives at
// the instant of an earlier message. In one script of a thousand a write or a fault therefore comes
// in between. A script that differs is played again with longer latencies.
func TestSurveysAreLoopsOfGets(t *testing.T) {
	scripts := uint64(*surveyScripts)
	if testing.Short() {
		scripts = min(scripts, 20)
	}
	again := uint64(0)
	for seed := range scripts {
		differ := func(law network.LatencyModel) string {
			return cmp.Diff(loopOutcomeOf(t, seed, law, true), loopOutcomeOf(t, seed, law, false), cmp.AllowUnexported(zookeeper.Counters{}))
		}
		law := network.DefaultLatency()
		if differ(law) == "" {
			continue
		}
		if again++; again > 1+scripts/200 {
			t.Fatalf("seed %d: %d scripts differ at first, want that few do", seed, again)
		}
		law.Min += 10 * time.Microsecond
		if diff := differ(law); diff != "" {
			t.Fatalf("seed %d (-gets +surveys):\n%s", seed, diff)
		}
	}
}
