package tfserving

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Goal: skipping idle runs of the polling loops has no visible effect. Method: three servers play
// the same random script. One skips what it may, one has no watches on the disk, and one runs its
// loops at every interval.
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

// Goal: completing a file operation in a separate event at the same instant changes nothing but the
// order within that instant, which is random on a real machine. Method: scripts in which no
// consequence of one step happens at the same instant as another step.
func TestAnswersApartFromTheirLooksChangeNothing(t *testing.T) {
	// With these options a reload also reads the disk. The manager's next tick may then come before
	// or after what the reload removes.
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

// apartInTime lengthens each wait of a script by a different number of microseconds. Then no
// consequence of one step happens at the instant of another step.
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

// Goal: an idle server fires no timer at all, even with a config file, a failed version and a
// request that can never be processed.
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
	// Version 2 fails and is then removed. Version 1 is aspired again but never unloaded, so the
	// request stays queued forever.
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

// One iteration starts a server, loads its model and lets 24 idle hours pass.
func BenchmarkIdleDay(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, host := servingOne(b)
		host.runTo(24 * time.Hour)
	}
}
