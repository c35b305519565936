package whatif

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/webpage/webpagetest"
)

// plansDir has the worked plans, each with its report.
const plansDir = "../../../runners/whatif/plans"

// workedPlans are the commands whose output the reports are, with their exit codes.
var workedPlans = []struct {
	report string
	args   []string
	code   int
}{
	{"fleet", []string{"solve", "fleet.yaml", "--sensitivity"}, 0},
	{"idc", []string{"solve", "idc.yaml"}, 0},
	{"shards", []string{"sweep", "shards.yaml"}, 0},
	{"rollout-v1", []string{"run", "rollout-v1.yaml", "--agents", "12", "--incidents", "all"}, 0},
	{"rollout-v3", []string{"run", "rollout-v3.yaml", "--agents", "12", "--incidents", "all"}, 0},
	{"watches-python", []string{"run", "watches-python.yaml", "--agents", "40", "--incidents", "session storm"}, 0},
	{"watches-fixed", []string{"run", "watches-fixed.yaml", "--agents", "40", "--incidents", "session storm"}, 0},
	{"flash", []string{"run", "flash.yaml"}, 0},
	{"cluster", []string{"run", "cluster.yaml"}, 0},
}

// The goal is that the reports of the worked plans are what the program says. The method is
// to run each and to compare; PLANS=update writes them anew.
func TestWorkedPlansSayWhatTheirReportsSay(t *testing.T) {
	if testing.Short() {
		t.Skip("the searches take a minute")
	}
	t.Chdir(plansDir)
	for _, p := range workedPlans {
		t.Run(p.report, func(t *testing.T) {
			code, stdout, message := whatif(p.args...)
			if code != p.code {
				t.Fatalf("exit %d, %s, want %d", code, message, p.code)
			}
			name := p.report + ".txt"
			if os.Getenv("PLANS") == "update" {
				if err := os.WriteFile(name, []byte(stdout), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(stdout, "\n")); diff != "" {
				t.Errorf("%s (-report +now; PLANS=update writes it anew):\n%s", name, diff)
			}
		})
	}
}

// Every plan has a report and is run, and README.md says how to read it.
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
