package node_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
)

// playFeeds has three clients watch 40 znodes by feeds. Two clients change all znodes. Then one
// znode gets odd data, one is deleted and one is created. It returns what was reported and counted.
func playFeeds(t *testing.T, seed uint64, noLeaps bool) (seen []string, leapt [2]uint64) {
	const znodes = 40
	l := newLabOf(t, vtime.Config{Seed: seed, NoLeaps: noLeaps})
	usual := &recipes.Usual{
		Ready: func() bool { return true },
		Data:  func(_ string, data []byte) bool { return bytes.HasPrefix(data, []byte("usual")) },
	}
	path := func(i int) string { return fmt.Sprintf("/w/%d", i) }
	for at, name := range []string{"x", "y"} {
		l.program(name, func(p *vtime.Process, zk env.ZooKeeper) {
			start(zk)
			_ = zk.EnsurePath("/w")
			for i := range znodes {
				_, _ = zk.Create(path(i), []byte("usual"), env.CreateOptions{})
			}
			p.Sleep(time.Minute - p.Elapsed())
			for i := at; i < znodes; i += 2 {
				_ = zk.Set(path(i), []byte("usual 2"), -1)
			}
			p.Sleep(time.Duration(10+at) * time.Millisecond)
			_ = zk.Set(path(7), []byte("odd"), -1)
			_ = zk.Delete(path(9+at), env.AnyVersion)
			_, _ = zk.Create("/w/more", []byte("usual"), env.CreateOptions{})
			// An unusual or deleted znode does not keep a feed from leaping over the reads of the
			// other znodes.
			p.Sleep(2*time.Minute - p.Elapsed())
			for i := at; i < znodes; i += 2 {
				_ = zk.Set(path(i), []byte("usual 3"), -1)
			}
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		l.program(name, func(p *vtime.Process, zk env.ZooKeeper) {
			start(zk)
			told := func(path string, data []byte, stat *env.Stat, event *env.WatchEvent) error {
				seen = append(seen, fmt.Sprintf("%s %s %q %v %v", name, path, data, stat, event))
				return nil
			}
			_ = zk.EnsurePath("/w")
			_, _ = zk.ChildrenWatch("/w", recipes.NewDataWatches(zk, "/w", told, usual).Watch)
		})
	}
	l.until(59 * time.Second)
	for i := range leapt {
		before := l.world.Leapt()
		l.until(time.Duration(i+1)*time.Minute + time.Second)
		leapt[i] = l.world.Leapt() - before
		l.until(time.Duration(i+2)*time.Minute - time.Second)
	}
	l.until(5 * time.Minute)
	// Leaps may change the order in which different processes learn of things, so each process is
	// compared separately.
	byName := map[string][]string{}
	for _, s := range seen {
		byName[s[:1]] = append(byName[s[:1]], s)
	}
	seen = append(append(byName["a"], byName["b"]...), byName["c"]...)
	seen = append(seen, fmt.Sprintf("%x %+v %v", l.world.Hash(), l.server.Counters(), l.world.Sites()))
	return seen, leapt
}

// Goal: reads that follow from watches give the same results with leaps and without, also if odd
// data comes in between. They do leap.
func TestFeedsLeapWithoutADifference(t *testing.T) {
	for seed := range uint64(20) {
		without, none := playFeeds(t, seed, true)
		with, leapt := playFeeds(t, seed, false)
		if diff := cmp.Diff(without, with); diff != "" {
			t.Fatalf("seed %d (-without leaps +with):\n%s", seed, diff)
		}
		if len(with) < 3*80 || none != [2]uint64{} || min(leapt[0], leapt[1]) < 100 {
			t.Errorf("seed %d: got %d calls, %d and %d steps that were leapt over in the storms; want 240, none and 100", seed, len(with), none, leapt)
		}
	}
}

// Goal: Watch skips children that are already watched, and WatchAgain watches them once more.
// Method: all ways in which children can be watched.
func TestWatchAgain(t *testing.T) {
	usual := &recipes.Usual{Ready: func() bool { return true }, Data: func(_ string, data []byte) bool { return len(data) == 0 }}
	for _, c := range []struct {
		name       string
		newWatches func(zk env.ZooKeeper, fn recipes.ChildDataFunc) recipes.DataWatches
	}{
		{"plain", func(zk env.ZooKeeper, fn recipes.ChildDataFunc) recipes.DataWatches {
			return recipes.NewDataWatches(struct{ env.ZooKeeper }{zk}, "/w", fn, nil)
		}},
		{"family", func(zk env.ZooKeeper, fn recipes.ChildDataFunc) recipes.DataWatches {
			return recipes.NewDataWatches(zk, "/w", fn, nil)
		}},
		{"feed", func(zk env.ZooKeeper, fn recipes.ChildDataFunc) recipes.DataWatches {
			return recipes.NewDataWatches(zk, "/w", fn, usual)
		}},
	} {
		l := newLabOf(t, vtime.Config{Seed: 1})
		var got []string
		l.program("x", func(_ *vtime.Process, zk env.ZooKeeper) {
			start(zk)
			_ = zk.EnsurePath("/w")
			names := strings.Split("abcdefghijklmnopqrst", "")
			for _, name := range names {
				var data []byte
				if name == "a" || name == "o" {
					data = []byte("odd")
				}
				_, _ = zk.Create("/w/"+name, data, env.CreateOptions{})
			}
			told := 0
			watches := c.newWatches(zk, func(string, []byte, *env.Stat, *env.WatchEvent) error {
				told++
				return nil
			})
			for _, watch := range []func([]string) error{watches.Watch, watches.Watch, watches.WatchAgain} {
				err := watch(names)
				got = append(got, fmt.Sprint(told, err))
			}
			_, _ = zk.Create("/w/u", nil, env.CreateOptions{})
			err := watches.WatchAgain([]string{"u"})
			_ = zk.Set("/w/b", []byte("x"), -1)
			got = append(got, fmt.Sprint(told, err))
		})
		l.until(time.Minute)
		if diff := cmp.Diff([]string{"20 <nil>", "20 <nil>", "40 <nil>", "41 <nil>"}, got); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", c.name, diff)
		}
	}
}
