package tfserving

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Leaving out idle runs must not be visible. The goal is reached by playing one
// random script to three servers: one that leaves out what it may, one without
// watches on the disk, and one whose loops run at every turn.
func TestLeavingOutIdleRunsIsInvisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := append(drawScript(t).lines(), "run 10m")
		play := func(polls, blind bool) []string {
			return printed(t, lines, func(s *script) {
				s.host.disk.blind = blind
				s.began = func(server *Server) { server.polls = polls }
			})
		}
		want := play(true, false)
		if diff := cmp.Diff(want, play(false, false)); diff != "" {
			t.Fatalf("with idle runs left out (-always running +left out):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(want, play(false, true)); diff != "" {
			t.Fatalf("without watches (-always running +left out):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	})
}

// A disk that answers later than it was asked, if at the same instant, changes
// nothing but who comes first at that instant, which is chance on a real machine:
// no two steps of a script share their instants with one another's consequences.
func TestAnswersApartFromTheirLooksChangeNothing(t *testing.T) {
	// With these options a reload looks at the disk, too, and the manager's next tick
	// may come before what it removes, or after.
	without := strings.NewReplacer(" failifzero", "", " alwayspresent", "")
	rapid.Check(t, func(t *rapid.T) {
		lines := apartInTime(append(drawScript(t).lines(), "run 10m"))
		for i := range lines {
			lines[i] = without.Replace(lines[i])
		}
		play := func(apart, blind bool) []string {
			seen := printed(t, lines, func(s *script) { s.host.apart, s.host.disk.blind = apart, blind })
			slices.Sort(seen) // by their instants
			return seen
		}
		want := play(false, false)
		if diff := cmp.Diff(want, play(true, false)); diff != "" {
			t.Fatalf("with watches (-at once +apart):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(want, play(true, true)); diff != "" {
			t.Fatalf("without watches (-at once +apart):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	})
}

// apartInTime lengthens each wait of a script by some microseconds, no two alike: what
// follows from one step never happens at the instant of another.
func apartInTime(lines []string) []string {
	for i, line := range lines {
		if wait, ok := strings.CutPrefix(line, "run "); ok {
			d, err := time.ParseDuration(wait)
			if err != nil {
				panic(err)
			}
			lines[i] = "run " + (d + time.Duration(i+1)*time.Microsecond).String()
		}
	}
	return lines
}

// An idle server with a config file, a failed version and a request that can
// never be processed fires no timer at all.
func TestAnIdleServerFiresNoTimers(t *testing.T) {
	o := DefaultOptions(Profile24)
	o.ModelConfigFile, o.ModelConfigFilePollWaitSeconds = "/config", 60
	o.MaxNumLoadRetries = 0
	host := newTestHost()
	host.disk.write("/config", `model_config_list { config { name: "a" base_path: "/m/a" model_platform: "tensorflow" } }`)
	host.disk.putModel("/m/a/1", 1)
	s := New(o, host)
	s.Start()
	host.runTo(10 * time.Second)
	// Version 2 fails, then goes: version 1 is re-aspired, but never unloaded,
	// so that the request stays queued for good.
	host.disk.mkdir("/m/a/2")
	host.runTo(20 * time.Second)
	host.disk.remove("/m/a/2")
	host.runTo(2 * time.Minute)
	fired := host.fired
	host.runTo(24 * time.Hour)
	if host.fired != fired {
		t.Errorf("an idle day fired %d timers, want none", host.fired-fired)
	}
	if e := s.manager.named("a"); !e.waiting {
		t.Error("the request for version 1 is not queued, want it postponed")
	}
}

// One round is a server's start, the load of its model and 24 idle hours.
func BenchmarkIdleDay(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, host := servingOne(b)
		host.runTo(24 * time.Hour)
	}
}
