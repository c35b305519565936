package loopback_test

import (
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

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// program is the path of a monosim binary that is built once for all tests.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "loopback-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := 2
	if program = os.Getenv(helperProgram); program != "" {
		os.Exit(m.Run())
	}
	program = filepath.Join(dir, "monosim")
	if text, err := exec.Command("go", "build", "-o", program, "../../../../cmd/monosim").CombinedOutput(); err == nil {
		code = m.Run()
	} else {
		fmt.Fprintf(os.Stderr, "build monosim: %v\n%s", err, text)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// options returns the options of the tests, with clusters that run ten times faster than the
// clock.
func options(t testing.TB) loopback.Options {
	return loopback.Options{Monosim: program, TimeScale: 0.1, Dir: t.TempDir()}
}

// suite returns a suite that runs scenarios as processes. A busy machine may be too slow for
// ten times the clock's speed. A failed scenario is therefore tried again three times
// slower, then nine times slower.
func suite(t testing.TB, o loopback.Options, paths ...string) steps.Suite {
	return steps.Suite{
		Runner: loopback.New(o), Paths: paths, Explain: -1,
		Slower: func(times int) (runners.Runner, string) {
			if times > 2 {
				return nil, ""
			}
			slower := o
			slower.TimeScale *= math.Pow(3, float64(times))
			t.Logf("failed, tried again at a time scale of %.1f", slower.TimeScale)
			return loopback.New(slower), ""
		},
	}
}

// Goal: a model server as a process behaves as the simulated one. Method: run the same
// scenarios with processes.
func TestScenariosOfAModelServer(t *testing.T) {
	steps.Run(t, features.FS, suite(t, options(t), "tfserving_labels.feature:21", "tfserving_loading.feature:59"))
}

// running lists the processes whose command line contains a directory's path.
func running(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(text), dir) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

// Goal: a closed cluster leaves no processes and no files. Method: build, use and close a
// cluster with a model server, then look for processes and files that name its directory.
func TestCloseLeavesNothing(t *testing.T) {
	o := options(t)
	c, err := loopback.New(o).Build(runners.Spec{BareServer: &runners.BareServerSpec{Flags: []string{"--model_config_file=/etc/models.conf"}}})
	if err != nil {
		t.Fatal(err)
	}
	model := runners.ServedModel{Name: "ctr", BasePath: "/models/ctr", Platform: "tensorflow"}
	for _, err := range []error{
		c.ExportVersion("/models/ctr", 1, 1e6),
		c.(runners.Caller).WriteModelConfig("/etc/models.conf", []runners.ServedModel{model}),
		c.StartPod(runners.BareServer),
		runners.Within(c, 10*time.Minute, func() error {
			versions, err := c.ModelStatus(runners.BareServer, "", "ctr")
			if err == nil && len(versions) != 1 {
				err = fmt.Errorf("versions: got %v, want one", versions)
			}
			return err
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(running(t, o.Dir)) < 2 {
		t.Errorf("while it runs: found %q, want a ZooKeeper and a model server", running(t, o.Dir))
	}
	c.Close()
	if left := running(t, o.Dir); len(left) > 0 {
		t.Errorf("processes: found %q, want none", left)
	}
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
		t.Errorf("files: found %v, %v, want none", left, err)
	}
}

// Environment variables that tell the helper process the path of monosim and where to make
// its cluster.
const helperProgram, helperDir = "LOOPBACK_HELPER_PROGRAM", "LOOPBACK_HELPER_DIR"

// TestHelperCluster is the helper process of the test below, which starts it and kills it.
func TestHelperCluster(t *testing.T) {
	dir := os.Getenv(helperDir)
	if dir == "" {
		t.Skip("only another test asks for this one")
	}
	o := options(t)
	o.Dir, o.Agent = dir, loopback.OwnAgent
	c, err := loopback.New(o).Build(runners.Spec{Conf: runners.ConfV3, Outlive: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// The pass of time ends only when the process is killed.
	if _, err := c.Pass(24*time.Hour, nil); err != nil {
		t.Fatal(err)
	}
}

// Goal: no process of a cluster outlives a monosim that was killed. Method: a helper process
// builds a cluster whose model server would outlive its agent, and gets SIGKILL.
func TestNothingOutlivesWhoeverWasKilled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHelperCluster$")
	cmd.Env = append(os.Environ(), helperProgram+"="+program, helperDir+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	until := func(what string, met func() bool) {
		t.Helper()
		limit, again := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
		defer again.Stop()
		for !met() {
			select {
			case <-limit:
				t.Fatalf("%s: not so after a minute: %q", what, running(t, dir))
			case <-again.C:
			}
		}
	}
	until("a ZooKeeper, an agent and a model server run", func() bool { return len(running(t, dir)) >= 3 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	until("none runs", func() bool { return len(running(t, dir)) == 0 })
}

// Goal: if a cluster cannot be built, the error says what was tried, and nothing of the
// cluster stays.
func TestWhatCannotBeBuilt(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(o *loopback.Options, s *runners.Spec)
	}{
		{"no such program", "start /nowhere/monosim: ", func(o *loopback.Options, _ *runners.Spec) { o.Monosim = "/nowhere/monosim" }},
		{"a program that ends at once", "zookeeper has ended before it served", func(o *loopback.Options, _ *runners.Spec) { o.Monosim = "/bin/false" }},
		{"no time", "time scale: found -1, want a number from 0.001 to 1000", func(o *loopback.Options, _ *runners.Spec) { o.TimeScale = -1 }},
		{"no such profile", `zookeeper profile: found "zookeeper-2", want `, func(_ *loopback.Options, s *runners.Spec) { s.ZooKeeper = "zookeeper-2" }},
		{"a tree in each agent", "this runner cannot do that", func(_ *loopback.Options, s *runners.Spec) { s.ZooKeeper = "kazoo-fake" }},
		{"no agents", "this runner has no program for agents", func(o *loopback.Options, _ *runners.Spec) { o.Agent = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, spec := options(t), runners.Spec{Conf: runners.ConfV3}
			o.Agent = loopback.OwnAgent
			c.change(&o, &spec)
			built, err := loopback.New(o).Build(spec)
			if err == nil {
				built.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if left := running(t, o.Dir); len(left) > 0 {
				t.Errorf("processes: found %q, want none", left)
			}
		})
	}
}

// Goal: agents, model servers and ZooKeeper behave as processes as they do in the
// simulation. Method: scenarios with faults whose time limits suit a busy machine.
func TestScenariosOfAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("clusters of processes, which are not built for the race detector, take minutes")
	}
	o := options(t)
	o.Agent = loopback.OwnAgent
	steps.Run(t, os.DirFS("testdata"), suite(t, o))
}

// Goal: a chief, workers and PS behave as processes as they do in the simulation. Method:
// scenarios with a barrier, a lost session, a killed PS, a PS whose machine is on Consul's
// blacklist, and with MLP's environment variables for discovery.
func TestScenariosOfATrainingJob(t *testing.T) {
	if testing.Short() {
		t.Skip("jobs of processes take seconds")
	}
	steps.Run(t, features.FS, suite(t, options(t), "training/barriers.feature:7", "training/discovery.feature:7", "training/life.feature:34", "training/consul.feature:41", "training/places.feature:21"))
}

// Goal: features that only a simulated training job has are refused with that reason.
// Method: ask for each.
func TestWhatATrainingJobOfProcessesCannotHave(t *testing.T) {
	built, err := loopback.New(options(t)).Build(runners.Spec{Training: &runners.TrainingSpec{PS: 1}})
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*loopback.Cluster)
	defer c.Close()
	for what, err := range map[string]error{
		"a local cluster": c.StartLocal(2), "its steps": c.LocalSteps(0, 1), "its barrier": c.LocalBarrier(0, time.Second),
		"memory":                c.BeginFault(runners.Fault{Kind: "trainer.memory", Pod: "ps0", SizeBytes: 1}),
		"save errors":           c.BeginFault(runners.Fault{Kind: "trainer.save-errors", N: 1}),
		"slow saves":            c.BeginFault(runners.Fault{Kind: "trainer.slow-saves", Duration: time.Second}),
		"a Consul that is down": c.BeginFault(runners.Fault{Kind: "consul.down"}),
	} {
		if !errors.Is(err, runners.ErrUnsupported) {
			t.Errorf("%s: found %v, want %v", what, err, runners.ErrUnsupported)
		}
	}
	for what, err := range map[string]error{
		"an unknown process": c.StartTrainer("ps7"), "a process that does not run": c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps0"}),
		"a Consul that is not there": c.BeginFault(runners.Fault{Kind: "consul.errors", N: 500}),
		"a session of nobody":        c.BeginFault(runners.Fault{Kind: "trainer.expired-session", Pod: "ps0"}),
	} {
		if err == nil || errors.Is(err, runners.ErrUnsupported) {
			t.Errorf("%s: found %v, want an error that says so", what, err)
		}
	}
	if s := c.TrainingStatus(); s.GlobalStep != -1 || len(s.Checkpoints) != 0 {
		t.Errorf("status before the start: found %+v, want no step and no checkpoint", s)
	}
}
