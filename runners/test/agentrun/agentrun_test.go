package agentrun_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/agentrun"
	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/simrun"
)

// program is the path of a monosim binary that is built once for all tests.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agentrun-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := 2
	program = filepath.Join(dir, "monosim")
	if text, err := exec.Command("go", "build", "-o", program, "../../../cmd/monosim").CombinedOutput(); err == nil {
		code = m.Run()
	} else {
		fmt.Fprintf(os.Stderr, "build monosim: %v\n%s", err, text)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// report runs scenarios with an agent at the given time scale and returns the comparison. A
// scenario that disagrees is retried up to again times, each time three times slower,
// because a busy machine may have been late.
func report(t *testing.T, o agentrun.Options, scale float64, again int, paths ...string) *compare.Port {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	newRunner := func(scale float64) *agentrun.Runner {
		o.Loopback = loopback.Options{Monosim: program, TimeScale: scale, Dir: t.TempDir()}
		r, err := agentrun.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: features.FS, Paths: paths, Seed: 1, Jobs: 4},
		Runners: []runners.Runner{&simrun.Runner{}, newRunner(scale)}, Logs: true,
		Slack: deeds.Slack{Least: 15 * time.Second, Part: 0.05}, // ten of the seconds are one second of the wall clock
		Slower: func(_ string, times int) (runners.Runner, string) {
			if times > again {
				return nil, ""
			}
			return newRunner(scale * math.Pow(3, float64(times))), ""
		},
	}
	m, _, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Port(agentrun.Name, o.Command)
}

// agreement fails the test unless all scenarios agree.
func agreement(t *testing.T, p *compare.Port) {
	t.Helper()
	for _, row := range p.Scenarios {
		if row.Verdict != compare.Agrees && row.Verdict != compare.Busy {
			t.Errorf("%s:%d %s: %s; %s; %s", row.Path, row.Line, row.Verdict, row.Cause, row.First, row.Failed)
		}
	}
	told := len(p.Scenarios) - p.Busy
	if told == 0 {
		t.Skip("the machine is too busy to tell")
	}
	if want := fmt.Sprintf("%d of %d scenarios, 100 %% of deeds", told, told); p.Badge != want {
		t.Errorf("badge: want %q, got %q", want, p.Badge)
	}
}

// own returns the options for this project's own agent, started with nothing but the
// variables of the contract.
func own() agentrun.Options {
	return agentrun.Options{Command: program + ` agent --tfs_home="$MONOSIM_HOME" --listen=$MONOSIM_IP --localhost=$MONOSIM_IP --speed=${MONOSIM_SPEED}x --seed=$MONOSIM_SEED`}
}

// javascript returns the options for the agent in testdata, with a planted fault unless
// fault is "". It skips the test where node is missing.
func javascript(t *testing.T, fault string) agentrun.Options {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no node: %v", err)
	}
	return agentrun.Options{Command: "env FAULT=" + fault + " " + node + " testdata/agent.mjs", Waits: true}
}

// Goal: the contract in AGENT.md suffices, so an agent that uses nothing else behaves as the
// simulation. Method: one short scenario of each kind, compared deed by deed.
func TestOurOwnAgentKeepsTheContract(t *testing.T) {
	t.Parallel() // it mostly waits
	agreement(t, report(t, own(), 0.1, 2, "startup.feature:4", "policies.feature:71"))
}

func TestTheReferenceKeepsTheContract(t *testing.T) {
	t.Parallel() // it mostly waits
	o := agentrun.Options{Waits: true, Command: fmt.Sprintf("env MONOLITH_SRC=%s PYTHONHASHSEED=$MONOSIM_SEED %s ../pythonrun/agent.py", pythontest.Reference(t), pythontest.Find(t))}
	if !pythontest.Has(t, pythontest.Find(t), "kazoo", "grpc", "absl", "dataclasses_json", "six", "google.protobuf") {
		t.Skip("no packages of the reference")
	}
	agreement(t, report(t, o, 0.1, 2, "startup.feature:4"))
}

func TestAnAgentInJavaScriptKeepsTheContract(t *testing.T) {
	t.Parallel() // it mostly waits
	agreement(t, report(t, javascript(t, ""), 0.1, 2, javaScriptStories...))
}

var javaScriptStories = []string{"filters.feature:4", "rollout.feature:28", "publishing.feature:52", "discovery.feature:11"}

// Goal: a report names what an agent does wrong. Method: plant a known fault in a copy of an
// agent.
func TestAPlantedFaultIsNamed(t *testing.T) {
	for _, c := range []struct {
		fault, story, verdict, cause, first string
	}{
		{"persistent", "discovery.feature:67", compare.Differs, "a binding: another", "creates it, want creates it, ephemeral"},
		{"first", "discovery.feature:67", compare.Fails, "HeartBeat: another", "answers"},
		{"deaf", "crashes.feature:65", compare.Fails, "the agent's process: missing", "nothing, want ends code -9"},
		{"two", "startup.feature:54", compare.Fails, "the agent's process: another", "ends code 2, want ends code 1"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel() // it mostly waits
			p := report(t, javascript(t, c.fault), 0.1, 0, c.story)
			for scale := 0.3; p.Busy > 0 && scale < 1; scale *= 3 {
				p = report(t, javascript(t, c.fault), scale, 0, c.story)
			}
			row := p.Scenarios[0]
			if row.Verdict == compare.Busy {
				t.Skip(row.First)
			}
			if row.Verdict != c.verdict || row.Cause != c.cause || !strings.Contains(row.First, c.first) || row.Same >= row.Deeds {
				t.Errorf("want %s, %s, %s, got %+v", c.verdict, c.cause, c.first, row)
			}
			if len(p.Causes) != 1 || p.Causes[0].Reference == "" || p.Agrees != 0 {
				t.Errorf("want one cause with the lines of the reference, got %+v", p)
			}
			var table strings.Builder
			if err := p.Print(&table); err != nil || !strings.Contains(table.String(), c.cause) || !strings.Contains(table.String(), ": 0 of 1 scenarios, ") {
				t.Errorf("%v; want a table with the cause and the badge, got\n%s", err, table.String())
			}
		})
	}
}

// Goal: the failure of a scenario says that agents have ended by themselves, how, and with what words.
// Method: a command that is no agent.
func TestAFailureNamesAgentsThatHaveEnded(t *testing.T) {
	t.Parallel() // it mostly waits
	o := agentrun.Options{Command: `sh -c 'echo no such luck; exit 7' sh`, Loopback: loopback.Options{Monosim: program, TimeScale: 0.3, Dir: t.TempDir()}}
	r, err := agentrun.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, detail := range []bool{false, true} {
		s := steps.Suite{Runner: r, FS: features.FS, Paths: []string{"startup.feature:4"}, Seed: 1, Explain: -1}
		if detail { // with the details that a comparison asks for
			s.Runner, s.Detail = deeds.Watch(r), true
		}
		report := &steps.Report{}
		if _, err := s.Stream(context.Background(), report); err != nil {
			t.Fatal(err)
		}
		r := &report.Results[0]
		failure := cmp.Or(r.Failure(), r.Unable) // if the machine was too busy to tell, Unable says so
		for _, want := range []string{"shard0-replica0: its agent has ended with code 7, its output with: no such luck\n", "\nand 1 more"} {
			if failure == nil || !strings.Contains(failure.Error(), want) {
				t.Errorf("watched %v: got %v, want %q", detail, failure, want)
			}
		}
	}
}

// Goal: a spec that no foreign agent can satisfy is refused before anything starts.
func TestWhatIsRefused(t *testing.T) {
	r, err := agentrun.New(own())
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []runners.Spec{
		{Conf: runners.ConfV3, Quirks: "fixed"}, {Conf: runners.ConfV3, Python: "3.8"},
	} {
		if c, err := r.Build(spec); !errors.Is(err, runners.ErrUnsupported) {
			t.Errorf("quirks %q, Python %q: want that it is not supported, got %v, %v", spec.Quirks, spec.Python, c, err)
		}
	}
	if _, err := agentrun.New(agentrun.Options{Command: " "}); err == nil || !strings.Contains(err.Error(), "found no command") {
		t.Errorf("no command: got %v", err)
	}
}

// A runner takes any shell command as the agent.
func Example() {
	r, err := agentrun.New(agentrun.Options{Command: "node agent.mjs", Waits: true})
	fmt.Println(r.Name(), err)

	// Output:
	// agent <nil>
}
