package pythonrun_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/pythonrun"
	"github.com/monosim/monosim/runners/test/simrun"
)

// mutate is the flag that runs the mutants, which takes a quarter of an hour:
//
//	go test ./runners/test/pythonrun -run Mutants -args -pythonrun.mutants '.'
var mutate = flag.String("pythonrun.mutants", "", "change the reference in small ways, those whose name matches, and see that a comparison notices")

// mutant is a change of one line of the reference at 135c491, in monolith/agent_service.
type mutant struct {
	name string
	file string // without .py
	line int
	// from is the part of the line that is replaced by to.
	from, to string
	// scenario is a scenario that executes the changed line.
	scenario string
	// unseen says why no comparison can notice the change. It is "" if a comparison must notice
	// it.
	unseen string
}

const (
	v3Story     = "rollout.feature:4"
	v1Story     = "rollout.feature:54"
	unpublishes = "publishing.feature:20"
	v3Lost      = "sessions.feature:81"
	v1Lost      = "sessions.feature:124"
	v1Minutes   = "rollout.feature:41"
	v1Slow      = "ensemble.feature:196" // its servers open their ports late
	v1Lists     = "discovery.feature:35"
	v1Places    = "discovery.feature:57"
)

var mutants = []mutant{
	{"bindings that stay", "backends", 255, "True, makepath", "False, makepath", v3Story, ""},
	{"service info every 30 s", "agent_v3", 185, "60", "30", v3Story, ""},
	{"the first address alone", "agent_service", 100, "(addrs)", "(addrs[:1])", v3Story, ""},
	{"all addresses but the last", "agent_service", 86, "(values)", "(values[:-1])", v1Lists, ""},
	{"dc_aware inverted", "replica_manager", 75, "if self", "if not self", v1Places, ""},
	{"registrations that stay", "replica_manager", 493, "True", "False", v1Story, ""},
	{"registering every 30 s", "replica_manager", 673, "10", "30", v1Lost, ""},
	{"20 s after a reconnect", "replica_manager", 742, "5", "20", v1Lost, ""},
	{"config polls every 30 s", "tfs_wrapper", 58, "60", "30", v3Story, ""},
	{"bindings of removed models stay", "backends", 259, "self.delete_znode(bind_path)", "pass", unpublishes, ""},
	{"a lost session that is not seen", "backends", 243, "self._is_lost.is_set()", "False", v3Lost, ""},
	{"bindings every 40 s", "agent_v3", 186, "30", "40", v3Story, ""},
	{"bindings every 33 s", "agent_v3", 186, "30", "33", v3Story, ""},
	{"bindings every 20 s", "agent_v3", 186, "30", "20", v3Story, ""},
	{"updates every 2 s", "replica_manager", 591, "1", "2", v1Story, ""},
	{"probes every 5 s", "agent_v1", 209, "10", "5", v1Slow, ""},
	{"no metrics", "replica_manager", 689, "is not None", "is None and False", v1Minutes, ""},
	// These mutants only read more, and write what the unchanged agents write.
	{"the layout read every 5 s", "agent_v3", 186, "=30)", "=30); self.start_bg_thread(lambda: self._backend._zk.get_children(self.config.layout_path), interval=5)", v3Story, ""},
	{"bindings read at every look", "backends", 261, "= saved_models", "= saved_models; [self._zk.get_children(f'/{self._bzid}/binding/{m.model_name}') for m in saved_models]", v3Lost, ""},
	{"replicas polled every 20 s", "replica_manager", 189, "60", "20", v1Minutes, ""},
	{"another text in the log", "agent_v3", 131, "callback with", "callback for", v3Story, "what is compared has no log lines: those of the port are held to the reference's case by case"},
}

// Goal: a comparison notices an agent whose behaviour differs. Method: run the reference from
// a copy in which one line is changed.
func TestMutantsAreNoticed(t *testing.T) {
	if *mutate == "" {
		t.Skip("takes a quarter of an hour: -pythonrun.mutants . runs all")
	}
	chosen := regexp.MustCompile(*mutate)
	original := newOptions(t, pythonrun.FastestTimeScale)
	noticed, tried := 0, 0
	for _, m := range mutants {
		if !chosen.MatchString(m.name) {
			continue
		}
		tried++
		o := original
		o.Source = m.make(t, original.Source)
		cell := compared(t, o, m.scenario)
		saw := cell.Verdict == steps.Failed.String() || cell.Log == compare.Differs
		what := fmt.Sprintf("%s (%s:%d, %s becomes %s): %s %s", m.name, m.file, m.line, m.from, m.to, cell.Verdict, cell.Log)
		for _, d := range cell.Differences {
			what += "; " + d.Kind + " " + d.Track
		}
		t.Log(what)
		switch {
		case saw:
			noticed++
		case cell.Verdict == compare.Busy:
			t.Errorf("%s: %s", m.name, cell.Why)
		case m.unseen == "":
			t.Errorf("%s: no comparison notices it", m.name)
		}
	}
	t.Logf("%d of %d noticed", noticed, tried)
}

// make copies the reference, applies the change to the copy, and returns the copy's folder.
func (m *mutant) make(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	agents := filepath.Join("monolith", "agent_service")
	if err := os.MkdirAll(filepath.Join(dir, agents), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{".", "monolith", agents} {
		list, err := os.ReadDir(filepath.Join(source, link))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range list {
			name := filepath.Join(link, entry.Name())
			if name == "monolith" || name == agents || name == filepath.Join(agents, m.file+".py") {
				continue
			}
			if err := os.Symlink(filepath.Join(source, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(source, agents, m.file+".py"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < m.line || strings.Count(lines[m.line-1], m.from) != 1 {
		t.Fatalf("%s:%d: found no %q once, want the reference at 135c491", m.file, m.line, m.from)
	}
	lines[m.line-1] = strings.Replace(lines[m.line-1], m.from, m.to, 1)
	if err := os.WriteFile(filepath.Join(dir, agents, m.file+".py"), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compared compares a scenario on the reference's agents with the simulation. If the machine
// was too busy for a verdict, it tries again more slowly.
func compared(t *testing.T, o pythonrun.Options, scenario string) compare.Cell {
	t.Helper()
	r, err := pythonrun.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: features.FS, Paths: []string{scenario}, Seed: 1, Explain: -1},
		Runners: []runners.Runner{&simrun.Runner{}, r}, Logs: true,
		Slower: func(_ string, times int) (runners.Runner, string) {
			slower := o
			slower.Loopback.TimeScale *= 3
			if r, err := pythonrun.New(slower); err == nil && times == 1 {
				return r, ""
			}
			return nil, ""
		},
	}
	m, _, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Scenarios[0].Cells[1]
}
