package whatif

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
)

// plansDir is the folder with the example plans, each with its expected report.
const plansDir = "../../../runners/whatif/plans"

type workedPlan struct {
	report  string
	args    []string
	code    int
	atNight bool
}

// workedPlans lists the commands that print the expected reports, with their exit codes. Commands
// that take more than five seconds of processor time run only at night.
var workedPlans = []workedPlan{
	{"fleet", []string{"solve", "fleet.yaml", "--sensitivity"}, 0, true},
	{"idc", []string{"solve", "idc.yaml"}, 0, false},
	{"shards", []string{"sweep", "shards.yaml"}, 1, false},
	{"rollout-v1", []string{"run", "rollout-v1.yaml", "--agents", "12", "--incidents", "all"}, 0, false},
	{"rollout-v3", []string{"run", "rollout-v3.yaml", "--agents", "12", "--incidents", "all"}, 0, false},
	{"watches-python", []string{"run", "watches-python.yaml", "--agents", "40", "--incidents", "session storm"}, 0, true},
	{"watches-fixed", []string{"run", "watches-fixed.yaml", "--agents", "40", "--incidents", "session storm"}, 0, false},
	{"outage", []string{"run", "outage.yaml", "--agents", "36", "--incidents", "zookeeper outage"}, 1, true},
	{"bursts", []string{"run", "bursts.yaml"}, 1, false},
	{"places", []string{"run", "places.yaml"}, 0, false},
	{"mixed", []string{"run", "mixed.yaml"}, 1, false},
	{"hedge", []string{"sweep", "hedge.yaml"}, 1, true},
	{"storm", []string{"sweep", "storm.yaml"}, 1, false},
	{"priorities", []string{"run", "priorities.yaml"}, 0, false},
	{"together", []string{"sweep", "together.yaml"}, 1, false},
	{"restart", []string{"sweep", "restart.yaml"}, 1, false},
	{"evacuation", []string{"run", "evacuation.yaml"}, 0, false},
	{"store", []string{"sweep", "store.yaml"}, 1, false},
	{"cold", []string{"run", "cold.yaml"}, 1, false},
	{"device", []string{"sweep", "device.yaml"}, 1, false},
	{"models", []string{"run", "models.yaml"}, 0, false},
	{"unsure", []string{"solve", "unsure.yaml"}, 0, true},
	{"most", []string{"solve", "most.yaml"}, 0, true},
	{"hottest", []string{"solve", "hottest.yaml"}, 0, true},
	{"schedule", []string{"run", "schedule.yaml"}, 0, false},
	{"flash", []string{"run", "flash.yaml"}, 0, false},
	{"cluster", []string{"run", "cluster.yaml"}, 0, false},
	{"measured", []string{"run", "measured.yaml"}, 0, false},
	{"jitter", []string{"sweep", "jitter.yaml"}, 1, false},
	{"dashboard", []string{"run", "dashboard.yaml"}, 1, false},
	{"slices", []string{"sweep", "slices.yaml"}, 1, false},
	{"metrics", []string{"run", "metrics.yaml"}, 0, false},
	{"faults", []string{"run", "faults.yaml"}, 0, false},
	{"racks", []string{"sweep", "racks.yaml"}, 0, false},
	{"connections", []string{"sweep", "connections.yaml"}, 1, false},
	{"clients", []string{"run", "clients.yaml"}, 1, false},
	{"mmpp", []string{"sweep", "mmpp.yaml"}, 1, false},
	{"replay", []string{"run", "replay.yaml"}, 1, false},
	{"rough", []string{"run", "rough.yaml"}, 0, false},
	{"ensemble", []string{"run", "ensemble.yaml"}, 1, false},
	{"regret", []string{"solve", "regret.yaml"}, 0, true},
	{"steps", []string{"solve", "steps.yaml"}, 0, false},
}

var update = flag.Bool("update", false, "write the reports of the worked plans anew")

// Goal: each example plan still gives the report beside it. Method: run each plan and compare.
// -update rewrites the reports. MONOSIM_NIGHTLY also runs the plans that `make check` leaves out.
func TestWorkedPlansSayWhatTheirReportsSay(t *testing.T) {
	if testing.Short() {
		t.Skip("the searches take a minute")
	}
	t.Chdir(plansDir)
	for _, p := range workedPlans {
		t.Run(p.report, func(t *testing.T) {
			if p.atNight && !*update && os.Getenv("MONOSIM_NIGHTLY") == "" {
				t.Skip("a search of many seconds: make nightly PARTS=whatif")
			}
			code, stdout, message := whatif(p.args...)
			if code != p.code {
				t.Fatalf("exit %d, %s, want %d", code, message, p.code)
			}
			name := p.report + ".txt"
			if *update {
				if err := os.WriteFile(name, []byte(stdout), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(stdout, "\n")); diff != "" {
				t.Errorf("%s (-report +now; -update writes it anew):\n%s", name, diff)
			}
		})
	}
}

// Goal: every example plan has a report and is run by the tests, and README.md explains how to read
// it.
func TestEveryWorkedPlanIsRun(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(plansDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(plansDir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	run := map[string]bool{}
	for _, p := range workedPlans {
		run[p.args[1]] = true
	}
	for _, f := range files {
		if name := filepath.Base(f); !run[name] || !strings.Contains(string(readme), name) {
			t.Errorf("%s: want it among workedPlans and in README.md", name)
		}
	}
}

func TestThePageOfAPlan(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	code, _, message := whatif("run", filepath.Join(plansDir, "rollout-v1.yaml"), "--agents", "6", "--html", page)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	webpagetest.AsksForNothing(t, string(text))
	for _, width := range []int{1400, 400} {
		if count := webpagetest.Classes(t, string(text), width); count["plot"] < 12 || count["tile"] < 5 || count["block"] < 8 {
			t.Errorf("width %d: got %v", width, count)
		}
	}
}

// Goal: the page of a sweep plots latency over load, with the closed form and the knee. For two
// paths it has a map with the contour of what holds, and lines of equal cost (CAP-4.3). The page of
// a single plan shows the closed form beside the simulated values.
func TestThePageOfASweep(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	page := filepath.Join(t.TempDir(), "page.html")
	file := planFile(t, "sweep: {load: {workload.rate: [500/s, 1k/s]}}", `sweep:
  load: {workload.rate: [500/s, 1k/s, 4k/s, 7.9k/s]}
  words: {client.hedge.after: ["off", 5ms, p90]}
  map: {ps.replicas: [1, 2, 3], workload.arrivals.rate_scale: [1x, 3x, 3.9x]}`)
	// No cell is overloaded, because simulating the retries of an overloaded cell would take a
	// minute. For the same reason, the window is near the beginning.
	near := strings.Replace(read(t, file), `horizon: 10s, detail: {windows: ["at 5s 200ms"]}`, `horizon: 1s, detail: {windows: ["at 500ms 200ms"]}`, 1)
	if err := os.WriteFile(file, []byte(near), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		least   map[string]int
	}{
		{"sweep", map[string]int{"plot": 3, "tile": 6, "contour": 1, "iso": 2, "event": 2, "band": 2}},
		{"run", map[string]int{"whisker": 1, "event": 2}},
	} {
		if code, _, message := whatif(c.command, file, "--html", page); code == command.ExitBadInput {
			t.Fatalf("exit %d: %s", code, message)
		}
		webpagetest.AsksForNothing(t, read(t, page))
		for _, width := range []int{1400, 400} {
			count := webpagetest.Classes(t, read(t, page), width)
			for class, least := range c.least {
				if count[class] < least {
					t.Errorf("%s, width %d: %d of class %s, want %d at least: %v", c.command, width, count[class], class, least, count)
				}
			}
		}
	}
}

// Goal: the page of a plan with worlds has a plot of the worlds, and a tile for each objective.
func TestThePageOfWorlds(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	text := strings.NewReplacer("max_replications: 40", "max_replications: 20", "count: 20", "count: 3", "horizon: 2s", "horizon: 200ms").Replace(read(t, filepath.Join(plansDir, "unsure.yaml")))
	file := filepath.Join(t.TempDir(), "unsure.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, message := whatif("run", file, "--html", page); code == command.ExitBadInput {
		t.Fatalf("exit %d: %s", code, message)
	}
	with := webpagetest.Classes(t, read(t, page), 1400)
	text = regexp.MustCompile(`\{[^{}]*mid: ("[^"]*"|[^,}]*)[^{}]*\}`).ReplaceAllString(text, "$1")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, message := whatif("run", file, "--html", page); code == command.ExitBadInput {
		t.Fatalf("exit %d: %s", code, message)
	}
	without := webpagetest.Classes(t, read(t, page), 1400)
	if with["plot"] != without["plot"]+1 || with["tile"] != without["tile"]+2 || with["block"] != without["block"]+1 {
		t.Errorf("got %v with worlds, %v without", with, without)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatAgentsCannotDoIsRefused(t *testing.T) {
	plan := filepath.Join(plansDir, "rollout-v1.yaml")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--agents", "-1"}, "--agents: found -1, want 0 to 1000"},
		{[]string{"--incidents", "kill 1"}, "--incidents: found it without --agents"},
		{[]string{"--agents", "4", "--incidents", "earthquake"}, `--incidents: found "earthquake", want some of bad version`},
		{[]string{"--html", "nowhere/x.html"}, "no such file or directory"},
	} {
		if code, _, message := whatif(append([]string{"theory", plan}, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: got exit %d and %q, want %d and %q", c.args, code, message, command.ExitBadInput, c.want)
		}
	}
}
