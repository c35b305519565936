package vtime_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// draws returns the next n numbers that a source draws, each below 1,000,000.
func draws(s *vtime.Source, n int) []int {
	got := make([]int, n)
	for i := range got {
		got[i] = s.Intn(1_000_000)
	}
	return got
}

// Goal: the k-th draw of a site depends on (seed, node, site, k) alone. Method:
// draw in some order, with any number of draws elsewhere in between.
func TestDrawsDoNotMoveWhenOthersDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		alone := vtime.New(vtime.Config{Seed: seed})
		want := draws(alone.Node("a").Source("x"), 5)

		w := vtime.New(vtime.Config{Seed: seed})
		others := []*vtime.Source{w.Node("a").Source("y"), w.Node("b").Source("x"), w.Node("c").Source("x")}
		var got []int
		for range want {
			for _, s := range others {
				draws(s, rapid.IntRange(0, 3).Draw(t, "other draws"))
			}
			got = append(got, draws(w.Node("a").Source("x"), 1)...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("draws (-alone +among others):\n%s", diff)
		}
	})
}

func TestDrawsDifferBySeedNodeAndSite(t *testing.T) {
	source := func(seed uint64, node, site string) []int {
		return draws(vtime.New(vtime.Config{Seed: seed}).Node(node).Source(site), 8)
	}
	base := source(1, "a", "x")
	for _, c := range []struct {
		name  string
		other []int
	}{
		{"seed", source(2, "a", "x")},
		{"node", source(1, "b", "x")},
		{"site", source(1, "a", "y")},
		{"node and site swapped", source(1, "x", "a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if slices.Equal(base, c.other) {
				t.Errorf("the same draws: %v", base)
			}
		})
	}
}

func TestDrawsAreInRangeAndEven(t *testing.T) {
	s := vtime.New(vtime.Config{Seed: 3}).Node("a").Source("x")
	const n, rounds = 10, 100_000
	var counts [n]int
	for range rounds {
		counts[s.Intn(n)]++
	}
	for v, c := range counts {
		if c < rounds/n*9/10 || c > rounds/n*11/10 {
			t.Errorf("%d came %d times in %d draws of %d", v, c, rounds, n)
		}
	}
	for range 1000 {
		if f := s.Float64(); f < 0 || f >= 1 {
			t.Fatalf("Float64() = %v", f)
		}
	}
}

func TestChance(t *testing.T) {
	w := vtime.New(vtime.Config{Seed: 4, Tape: vtime.NewTape(vtime.TapeRecord)})
	s := w.Node("a").Source("x")
	for _, c := range []struct {
		p        float64
		from, to int
	}{
		{0, 0, 0}, {-1, 0, 0}, {1, 1000, 1000}, {0.3, 250, 350},
	} {
		hits := 0
		for range 1000 {
			if s.Chance(c.p) {
				hits++
			}
		}
		if hits < c.from || hits > c.to {
			t.Errorf("Chance(%v) was true %d times of 1000, want %d to %d", c.p, hits, c.from, c.to)
		}
	}
	plain := vtime.New(vtime.Config{Seed: 4, Tape: vtime.NewTape(vtime.TapeReplay)}).Node("a").Source("x")
	if plain.Chance(0.999) {
		t.Error("the default of Chance is true, want false")
	}
}

func TestChoiceAmongNothingPanics(t *testing.T) {
	s := vtime.New(vtime.Config{}).Node("a").Source("x")
	for _, fn := range []func(){func() { s.Intn(0) }, func() { s.Intn(-1) }, func() { s.Uint64n(0) }} {
		if got, want := panicText(fn), "vtime: choice among 0 outcomes at x"; got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// gamble runs a world of three nodes in which random choices decide the timing of events.
func gamble(seed uint64, tape *vtime.Tape, trace vtime.TraceConfig) *vtime.World {
	w := vtime.New(vtime.Config{Seed: seed, Tape: tape, Trace: trace})
	for _, name := range []string{"a", "b", "c"} {
		n := w.Node(name)
		p := n.NewProcess("gambler")
		p.Go("task", func() {
			for range 50 {
				p.Sleep(time.Duration(1+p.Intn("pause", 20)) * ms)
				if n.Source("fault").Chance(0.2) {
					n.NoteString("fault")
				}
			}
		})
	}
	if _, err := w.Run(vtime.Limits{}); err != nil {
		panic(err)
	}
	w.Close()
	return w
}

func TestOneSeedGivesOneHash(t *testing.T) {
	a, b := gamble(5, nil, vtime.TraceConfig{}), gamble(5, nil, vtime.TraceConfig{})
	if a.Hash() != b.Hash() || a.Events() != b.Events() || a.Now() != b.Now() {
		t.Errorf("two runs of seed 5: hash %x and %x, %d and %d events, end %v and %v", a.Hash(), b.Hash(), a.Events(), b.Events(), a.Now(), b.Now())
	}
	if d := vtime.FirstDivergence(a.Trace(), b.Trace()); d != nil {
		t.Errorf("two equal runs diverge: %v", d)
	}
	if c := gamble(6, nil, vtime.TraceConfig{}); c.Hash() == a.Hash() {
		t.Error("seeds 5 and 6 have the same hash")
	}
}

// Goal: changing one choice on one node changes the hash of the world and of that node, and leaves
// the hashes of the other nodes as they were.
func TestOverlaidChoiceStaysOnItsNode(t *testing.T) {
	overlay := vtime.NewTape(vtime.TapeOverlay, env.Choice{Node: "b", Site: "pause", K: 10, Value: 19})
	plain, changed := gamble(5, nil, vtime.TraceConfig{}), gamble(5, overlay, vtime.TraceConfig{})
	if plain.Hash() == changed.Hash() {
		t.Error("the world's hash is the same")
	}
	for _, name := range []string{"a", "b", "c"} {
		same := plain.Node(name).Hash() == changed.Node(name).Hash()
		if want := name != "b"; same != want {
			t.Errorf("hash of node %s is the same: %v, want %v", name, same, want)
		}
	}
}

func TestNotesCount(t *testing.T) {
	hash := func(note func(n *vtime.Node)) uint64 {
		w := vtime.New(vtime.Config{})
		note(w.Node("a"))
		return w.Hash()
	}
	seen := map[uint64]string{}
	for _, c := range []struct {
		name string
		note func(n *vtime.Node)
	}{
		{"nothing", func(*vtime.Node) {}},
		{"number", func(n *vtime.Node) { n.Note(1) }},
		{"number twice", func(n *vtime.Node) { n.Note(1); n.Note(1) }},
		{"other number", func(n *vtime.Node) { n.Note(2) }},
		{"text", func(n *vtime.Node) { n.NoteString("x") }},
		{"other text", func(n *vtime.Node) { n.NoteString("y") }},
		{"bytes", func(n *vtime.Node) { n.NoteBytes([]byte("xy")) }},
	} {
		h := hash(c.note)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", c.name, other)
		}
		seen[h] = c.name
	}
}

func TestTapeReplaysItsRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		tape := vtime.NewTape(vtime.TapeRecord)
		recorded := gamble(seed, tape, vtime.TraceConfig{})
		if plain := gamble(seed, nil, vtime.TraceConfig{}); plain.Hash() != recorded.Hash() {
			t.Fatal("recording changed the run")
		}
		var file strings.Builder
		if _, err := tape.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read, err := vtime.ReadTape(strings.NewReader(file.String()), vtime.TapeReplay)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tape.Entries, read.Entries); diff != "" {
			t.Fatalf("entries (-written +read):\n%s", diff)
		}
		// In a replay the seed decides no choice, but it is part of the world's hash.
		if replayed := gamble(seed, read, vtime.TraceConfig{}); replayed.Hash() != recorded.Hash() {
			t.Fatalf("replay: hash %x, want %x", replayed.Hash(), recorded.Hash())
		}
	})
}

func TestCutTapeGivesDefaults(t *testing.T) {
	tape := vtime.NewTape(vtime.TapeReplay,
		env.Choice{Node: "a", Site: "x", K: 1, Value: 7},
		env.Choice{Node: "a", Site: "x", K: 2, Value: 99})
	w := vtime.New(vtime.Config{Seed: 8, Tape: tape})
	var got []int
	for range 4 {
		got = append(got, w.Node("a").Source("x").Intn(10))
	}
	got = append(got, w.Node("b").Source("x").Intn(10))
	// If the tape's value is beyond the outcomes offered now, the last outcome is taken.
	if diff := cmp.Diff([]int{0, 7, 9, 0, 0}, got); diff != "" {
		t.Errorf("draws (-want +got):\n%s", diff)
	}
}

func TestRecordedTapeLeavesDefaultsOut(t *testing.T) {
	tape := vtime.NewTape(vtime.TapeRecord)
	s := vtime.New(vtime.Config{Seed: 9, Tape: tape}).Node("a").Source("x")
	var want []env.Choice
	for k := range uint64(100) {
		if v := s.Uint64n(3); v != 0 {
			want = append(want, env.Choice{Node: "a", Site: "x", K: k, Value: v})
		}
	}
	if diff := cmp.Diff(want, tape.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if len(want) == 0 || len(want) == 100 {
		t.Errorf("%d of 100 draws of 3 were not the default", len(want))
	}
}

func TestReadTapeSaysWhereAndWhatIsWrong(t *testing.T) {
	_, err := vtime.ReadTape(strings.NewReader("{\"node\":\"a\"}\n\nnonsense\n"), vtime.TapeReplay)
	if err == nil || !strings.HasPrefix(err.Error(), `tape line 3: found "nonsense", want an object with node, site, k and value: `) {
		t.Errorf("error %v", err)
	}
}

// Goal: a node finds each of its sources again, whether it has few or many, and lists them by site.
// Method: sites of several lengths, each asked for twice.
func TestSourcesAreFoundAgain(t *testing.T) {
	for _, n := range []int{24, 25, 128, 129, 400} {
		node := vtime.New(vtime.Config{Seed: 1}).Node("n")
		made := map[string]*vtime.Source{}
		for i := range n {
			site := fmt.Sprintf("site.%d", i*7919%100_003)
			made[site] = node.Source(site)
		}
		if len(made) != n {
			t.Fatalf("%d sites, want %d", len(made), n)
		}
		for _, site := range slices.Sorted(maps.Keys(made)) {
			s := made[site]
			if again := node.Source(site); again != s || s.Site() != site {
				t.Errorf("%d sources: %s is %s", n, site, again.Site())
			}
			s.Intn(2)
		}
		sites := node.World().Sites()
		if len(sites) != n || !slices.IsSortedFunc(sites, func(a, b vtime.Site) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%d sources: %d are listed, or not by site", n, len(sites))
		}
	}
}

// Goal: a source made by FreshSource draws as the source of the same site would, and is listed with
// that site. Method: draw from 5,000 of them, and from sources of the same sites in another world.
func TestFreshSourcesDrawAsOthers(t *testing.T) {
	const many = 5000
	fresh, found := vtime.New(vtime.Config{Seed: 3}), vtime.New(vtime.Config{Seed: 3})
	defer fresh.Close()
	defer found.Close()
	for i := uint64(1); i <= many; i++ {
		a, b := fresh.Node("n").FreshSource("site:", i), found.Node("n").Source("site:"+strconv.FormatUint(i, 10))
		for range i%3 + 1 {
			if got, want := a.Uint64n(1<<40), b.Uint64n(1<<40); got != want || a.Site() != b.Site() {
				t.Fatalf("%s drew %d, %s %d", a.Site(), got, b.Site(), want)
			}
		}
	}
	got, want := fresh.Sites(), found.Sites()
	if diff := cmp.Diff(want, got); diff != "" || len(got) != many {
		t.Errorf("%d sites, want %d (-found +fresh):\n%s", len(got), many, diff)
	}
}
