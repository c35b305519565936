package deeds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

// story returns the log of a pod that registers and then binds two models, at the given
// times in seconds.
func story(register, entry, ps float64) *deeds.Log {
	write := func(seconds float64, path, data string) runners.Observation {
		return runners.Observation{At: at(seconds), Pod: pod, Op: "zookeeper.create", Path: path, Note: "ephemeral", Data: data}
	}
	return deeds.Read([]runners.Observation{
		write(register, "/info", "a"),
		{At: at(register + 60), Pod: pod, Op: "zookeeper.setData", Path: "/info", Note: "ephemeral", Data: "b"},
		write(entry, "/entry", ""), write(ps, "/ps", ""),
	})
}

// Goal: a log agrees if each of its tracks matches one of the open logs, not always the same
// one, and differs otherwise.
func TestWhatDiffers(t *testing.T) {
	open := deeds.Open{story(1, 30, 35), story(2, 60, 90), story(2, 85, 91)}
	slack := deeds.Slack{Least: 2 * time.Second}
	rewritten := story(1, 30, 35)
	rewritten.Track("znode /info").Deeds[1].Text = "writes c"
	missing := &deeds.Log{Tracks: story(1, 30, 35).Tracks[1:]}
	more := story(1, 30, 35)
	more.Tracks = append(more.Tracks, &deeds.Track{Name: "znode /z", Deeds: []deeds.Deed{{Who: pod, Text: "creates it", Times: 1}}})
	for _, c := range []struct {
		name string
		got  *deeds.Log
		want string
	}{
		{"the first", story(1, 30, 35), ""},
		{"parts of several", story(3.5, 62, 92), ""},
		{"another text", rewritten, `
znode /info: deed 2 is another
  sim:
      t+1.0s shard0-replica1 creates it, ephemeral a
    > t+61.0s shard0-replica1 writes b
  real:
      t+1.0s shard0-replica1 creates it, ephemeral a
    > t+61.0s shard0-replica1 writes c`},
		{"nothing done to something", missing, `
znode /entry: deed 1 is another
  sim:
    > t+30.0s shard0-replica1 creates it, ephemeral
  real:
    > nothing`},
		{"something that is done to nothing else", more, `
znode /z: deed 1 is another
  sim:
    > nothing
  real:
    > t+0.0s shard0-replica1 creates it`},
		{"too late", story(1, 30, 95), `
znode /ps: deed 1 is at another time, want t+33.0s to t+93.0s
  sim:
    > t+35.0s shard0-replica1 creates it, ephemeral
  real:
    > t+95.0s shard0-replica1 creates it, ephemeral`},
		{"in an order that there is not", story(1, 80, 40), `
znode /ps: comes before znode /entry, want the other way round
  sim:
      t+35.0s shard0-replica1 creates it, ephemeral
      t+30.0s shard0-replica1 creates it, ephemeral
  real:
      t+40.0s shard0-replica1 creates it, ephemeral
      t+80.0s shard0-replica1 creates it, ephemeral`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if found := deeds.Compare(open, c.got, slack); len(found) > 0 {
				got = "\n" + strings.Join(found[0].Lines("sim", "real"), "\n")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: Agreement counts how many deeds of a log are the same. A run that ended early is not
// charged with deeds that were still to come.
func TestHowMuchIsTheSame(t *testing.T) {
	slack := deeds.Slack{Least: 2 * time.Second}
	open := deeds.Open{story(1, 30, 35)}
	rewritten := story(1, 30, 35)
	rewritten.Track("znode /info").Deeds[1].Text = "writes c"
	early := &deeds.Log{Tracks: story(1, 30, 35).Tracks[:2], Ended: at(31)} // without /ps
	early.Track("znode /info").Deeds = early.Track("znode /info").Deeds[:1]
	late := &deeds.Log{Tracks: early.Tracks, Ended: at(66)}
	for name, c := range map[string]struct {
		got                *deeds.Log
		same, all, differs int
	}{
		"all of it":                     {story(1, 30, 35), 4, 4, 0},
		"one text":                      {rewritten, 3, 4, 1},
		"one time":                      {story(1, 30, 99), 3, 4, 1},
		"ended before the rest":         {early, 2, 2, 0},
		"ended after what never came":   {late, 2, 4, 2},
		"nothing where there is no log": {&deeds.Log{}, 0, 4, 3},
	} {
		same, all := deeds.Agreement(open, c.got, slack)
		if n := len(deeds.Compare(open, c.got, slack)); same != c.same || all != c.all || n != c.differs {
			t.Errorf("%s: want %d of %d with %d differences, got %d of %d with %d", name, c.same, c.all, c.differs, same, all, n)
		}
	}
}

// Goal: a difference is shown with its neighbouring deeds. Deeds further away are only
// counted, and long ones are cut around the difference.
func TestADifferenceHasItsContext(t *testing.T) {
	log := func(eighth string) *deeds.Log {
		var list []runners.Observation
		for i := range 12 {
			data := strings.Repeat("x", i)
			if i == 7 {
				data = strings.Repeat("y", 600) + eighth + strings.Repeat("z", 600)
			}
			list = append(list, runners.Observation{At: at(float64(i)), Pod: pod, Op: "zookeeper.setData", Path: "/a", Data: data})
		}
		return deeds.Read(list)
	}
	found := deeds.Compare(deeds.Open{log("THIS")}, log("THAT"), deeds.Slack{})
	if len(found) != 1 {
		t.Fatalf("want one difference, got %v", found)
	}
	shown := found[0].Lines("sim", "real")
	if len(shown) != 1+2*8 || shown[2] != "      (5 before)" || shown[8] != "      (2 after)" {
		t.Errorf("want two deeds before and two after on both sides, got\n%s", strings.Join(shown, "\n"))
	}
	for i, want := range map[int]string{5: "yyTHISzz", 13: "yyTHATzz"} {
		if !strings.Contains(shown[i], want) || len(shown[i]) > 450 {
			t.Errorf("line %d: want it cut around %s, got %s", i, want, shown[i])
		}
	}
}

// Goal: an end whose exit code was not observed agrees with any end. The exit code of a
// foreign process is not always visible.
func TestAnEndThatNobodySaw(t *testing.T) {
	log := func(note string) *deeds.Log {
		return deeds.Read([]runners.Observation{
			{Pod: pod, Op: "process.start", Path: "server", ID: 1}, {At: at(1), Pod: pod, Op: "process.exit", Path: "server", ID: 1, Note: note},
		})
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"code -9", "", true}, {"", "code 0", true}, {"code -9", "code 0", false}} {
		if got := len(deeds.Compare(deeds.Open{log(c.a)}, log(c.b), deeds.Slack{})) == 0; got != c.same {
			t.Errorf("%q and %q: want same %v, got %v", c.a, c.b, c.same, got)
		}
	}
}
