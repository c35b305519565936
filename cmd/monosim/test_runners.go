package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/agentrun"
	"github.com/monosim/monosim/runners/test/pythonrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/runners/test/tensorflowrun"
)

// runnerNames lists the runners in the order in which they are printed.
var runnerNames = []string{"sim", "real", pythonrun.Name, tensorflowrun.Name, agentrun.Name}

// runnerOptions holds the flags of `monosim test` that choose runners.
type runnerOptions struct {
	names     []string
	compare   bool
	timeScale float64
	again     int
	keep      string
	record    string
	// stale leaves out scenarios whose recorded result comes from the present code. longest leaves
	// out scenarios that take more than this much of the cluster's time.
	stale   bool
	longest time.Duration
	// agent is the command that starts an agent of the runner "agent". waits means that this agent
	// waits for a line of input before it begins.
	agent string
	waits bool
	// stdout receives the report on that agent as JSON.
	stdout io.Writer
	// zooKeeper and modelServer name the backends for clusters of real processes. chosen is the
	// parsed value of zooKeeper.
	zooKeeper   string
	modelServer string
	chosen      loopback.ZooKeeper
}

func (o *runnerOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.names, "runner", []string{"sim"}, "where scenarios run, one or more of sim (virtual time), real (processes on the loopback), python (as real, but with the reference's agents: needs MONOLITH_SRC, and PYTHON), tensorflow (training jobs on TensorFlow: needs MONOLITH_SRC, and TENSORFLOW_PYTHON), agent (as real, but with the agents of --agent; alone it is compared with sim)")
	f.StringVar(&o.agent, "agent", "", "the command that is each pod's agent, in any language, as './my-agent'; runners/diff/testee/AGENT.md says what it gets")
	f.BoolVar(&o.waits, "agent-waits", false, "the agent creates the file MONOSIM_READY once it is ready, and begins when it reads a line, so that its imports take no time of the cluster")
	f.BoolVar(&o.compare, "compare", false, "with several runners: compare what was done with what the first of them does, with some seed")
	f.Float64Var(&o.timeScale, "time-scale", 1, "on processes: wall time that a second of the cluster takes, as 0.1 for ten times the clock")
	f.IntVar(&o.again, "again", 0, "on processes: how often a run that failed is tried again, each time on a clock three times slower")
	f.StringVar(&o.keep, "keep", "", "on processes: directory in which all that clusters wrote stays")
	f.StringVar(&o.record, "record", "", "with --compare: file to keep what was found in, over what it has of other scenarios and runners; with the hashes of the code that it speaks of, for a file of the project")
	f.BoolVar(&o.stale, "stale", false, "with --record: run only what the file has not, or has of older code")
	f.DurationVar(&o.longest, "longest", 0, "with --compare: run only scenarios that take this much time of the cluster at most, as 15m")
	f.StringVar(&o.zooKeeper, "zookeeper", "monosim", "on processes: the ZooKeeper of clusters, monosim, java (Debian's), java:3 (an ensemble of three), or HOST:PORT,... of servers that are there, in a znode of the run")
	f.StringVar(&o.modelServer, "model-server", "", "on processes: the model server that agents start, monosim, or the path of a program with TF Serving's command line (default what MONOLITH_TFS_BINARY names, or monosim)")
	completeFlags(cmd, map[string]func() []string{
		"runner":    func() []string { return runnerNames },
		"zookeeper": func() []string { return []string{"monosim", "java", "java:3"} },
	})
}

// port compares the runner "agent" with the simulation, if no other runner is named.
func (o *runnerOptions) port() {
	if len(o.names) == 1 && o.names[0] == agentrun.Name {
		o.names, o.compare = []string{"sim", agentrun.Name}, true
	}
}

// agentFlags returns the flags with which a user repeats a run of the runner "agent".
func (o *runnerOptions) agentFlags() string {
	flags := []string{"--agent", o.agent}
	if o.waits {
		flags = append(flags, "--agent-waits")
	}
	return strings.Join(command.Quoted(flags), " ")
}

// one reports whether scenarios run on a single runner, without a comparison.
func (o *runnerOptions) one() bool { return len(o.names) == 1 && !o.compare }

// simulated reports whether everything runs in virtual time.
func (o *runnerOptions) simulated() bool { return len(o.names) == 1 && o.names[0] == "sim" }

// check returns an error for flags that make no sense.
func (o *runnerOptions) check() error {
	for i, name := range o.names {
		if !slices.Contains(runnerNames, name) || slices.Contains(o.names[:i], name) {
			return fmt.Errorf("--runner: found %q, want some of %s, each once", name, strings.Join(runnerNames, ", "))
		}
	}
	switch {
	case len(o.names) == 0:
		return fmt.Errorf("--runner: found none, want some of %s", strings.Join(runnerNames, ", "))
	case o.compare && len(o.names) < 2:
		return fmt.Errorf("--compare: found the runner %s, want two or more", o.names[0])
	case o.record != "" && !o.compare:
		return errors.New("--record: found no --compare, what of it would be kept")
	case o.stale && o.record == "":
		return errors.New("--stale: found no --record, want the file of which it is about")
	case o.longest != 0 && (!o.compare || o.longest < 0):
		return fmt.Errorf("--longest: found %v, want a time, as 15m, and --compare", o.longest)
	case slices.Contains(o.names, agentrun.Name) != (o.agent != ""):
		return errors.New("--agent: found it, or the runner agent, alone, want both, as --runner agent --agent './my-agent'")
	case !(o.timeScale >= 0.001 && o.timeScale <= 1000):
		return fmt.Errorf("--time-scale: found %g, want a number from 0.001 to 1000, as 0.1 for ten times the clock", o.timeScale)
	}
	if err := o.checkBackends(); err != nil {
		return err
	}
	if o.record == "" {
		return nil
	}
	file, err := wholefile.Create(o.record)
	if err != nil { // reported before the runs start, because runs take minutes
		return fmt.Errorf("--record: %w", err)
	}
	file.Discard()
	return nil
}

// checkBackends returns an error for a backend that does not exist, or that cannot keep to the
// given time scale.
func (o *runnerOptions) checkBackends() (err error) {
	if o.chosen, err = loopback.ParseZooKeeper(o.zooKeeper); err != nil {
		return fmt.Errorf("--zookeeper: %w", err)
	}
	if o.modelServer == "" && !o.simulated() {
		o.modelServer = os.Getenv("MONOLITH_TFS_BINARY")
	}
	o.modelServer = cmp.Or(o.modelServer, "monosim")
	others := o.others()
	switch {
	case o.simulated() && len(others) > 0:
		return fmt.Errorf("%s: found the runner sim alone, which has no processes; want real or python among --runner", strings.Join(others, " "))
	case o.keepsTheClock() != "" && o.timeScale != 1:
		return fmt.Errorf("--time-scale: found %g, want 1 with %s, whose time is that of the clock", o.timeScale, o.keepsTheClock())
	}
	if err := o.chosen.Check(); err != nil {
		return fmt.Errorf("--zookeeper: %w", err)
	}
	if o.modelServer == "monosim" {
		return nil
	}
	path, err := exec.LookPath(o.modelServer)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("--model-server: %w; want monosim, or a program with TF Serving's command line", err)
	}
	o.modelServer = path
	return nil
}

// others returns the flags that choose backends other than monosim's own.
func (o *runnerOptions) others() (flags []string) {
	if z := o.chosen.String(); z != "monosim" {
		flags = append(flags, "--zookeeper "+z)
	}
	if o.modelServer != "monosim" {
		flags = append(flags, "--model-server "+o.modelServer)
	}
	return flags
}

// keepsTheClock returns the flag of a backend that always runs in real time. It returns "" if every
// backend can run slower or faster.
func (o *runnerOptions) keepsTheClock() string {
	switch {
	case len(o.chosen.Addrs) > 0:
		return "--zookeeper " + o.zooKeeper
	case o.modelServer != "monosim":
		return "--model-server " + o.modelServer
	}
	return ""
}

// costs warns of the effects of a backend that always runs in real time. It returns "" if there is
// no such backend.
func (o *runnerOptions) costs() string {
	flag := o.keepsTheClock()
	if flag == "" {
		return ""
	}
	return flag + ": the time scale is 1, so that a minute of a cluster takes a minute; monosim's own, and --zookeeper java, take a tenth of it with --time-scale 0.1"
}

// flags returns the flags that repeat a run on real processes, with the given time scale.
func (o *runnerOptions) flags(scale float64) string {
	flags := o.others()
	if scale != 1 {
		flags = append(flags, fmt.Sprintf("--time-scale %.4g", scale))
	}
	return strings.Join(flags, " ")
}

// make makes the chosen runners. It calls sim to make the simulation.
func (o *runnerOptions) make(sim func() runners.Runner) ([]runners.Runner, error) {
	var list []runners.Runner
	for _, name := range o.names {
		r, err := o.makeOne(name, o.timeScale, sim)
		if err != nil {
			return nil, fmt.Errorf("--runner %s: %w", name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func (o *runnerOptions) makeOne(name string, timeScale float64, sim func() runners.Runner) (runners.Runner, error) {
	if name == "sim" {
		return sim(), nil
	}
	surroundings := loopback.Options{TimeScale: timeScale, ZooKeeper: o.chosen, ModelServer: o.modelServer}
	if o.keep != "" {
		dir, err := filepath.Abs(o.keep) // processes have working directories of their own, so the path is made absolute
		if err := errors.Join(err, os.MkdirAll(dir, 0o755)); err != nil {
			return nil, err
		}
		surroundings.Dir, surroundings.Keep = dir, true
	}
	switch name {
	case pythonrun.Name:
		return pythonrun.New(pythonrun.Options{Loopback: surroundings})
	case tensorflowrun.Name:
		return tensorflowrun.New(tensorflowrun.Options{Loopback: surroundings})
	case agentrun.Name:
		return agentrun.New(agentrun.Options{Command: o.agent, Waits: o.waits, Loopback: surroundings})
	}
	surroundings.Agent = loopback.OwnAgent
	return loopback.New(surroundings), nil
}

// slower returns a runner on a slower clock, and the flags that choose it. It is for scenarios that
// have failed the given number of times. It returns nil after enough attempts, or if a backend
// always runs in real time.
func (o *runnerOptions) slower(name string, times int) (runners.Runner, string) {
	if times > o.again || o.keepsTheClock() != "" {
		return nil, ""
	}
	scale := o.timeScale * math.Pow(3, float64(times))
	r, err := o.makeOne(name, scale, nil)
	if err != nil {
		return nil, ""
	}
	return r, o.flags(scale)
}

// runnersOf lists the runners on which a scenario runs. After them it lists the runners on which
// the scenario does not run, each with the reason.
func runnersOf(sc steps.Listed) string {
	on, not := runsOn(sc)
	return strings.Join(append([]string{strings.Join(on, " ")}, not...), "; ")
}

// runsOn returns the runners on which a scenario runs, and the other runners with the reasons.
func runsOn(sc steps.Listed) (on, not []string) {
	for _, name := range runnerNames {
		switch why := sc.Not[name]; why {
		case "":
			on = append(on, name)
		case steps.NoTrainingJob: // not mentioned in the output: that runner is not meant for a scenario without a training job
		default:
			not = append(not, fmt.Sprintf("not %s: %s", name, why))
		}
	}
	return on, not
}

// on runs the scenarios on the chosen runners: in virtual time, on processes, or on several runners
// to compare their results.
func (o *testOptions) on(ctx context.Context, suite *steps.Suite, list []runners.Runner, told steps.Listener, out io.Writer) (*steps.Summary, error) {
	switch {
	case o.budget > 0 && !o.runners.one():
		return nil, &steps.InputError{Where: "--for", Text: "found several runners, want one: a comparison needs all runs"}
	case o.runners.simulated():
		return suite.Stream(ctx, told)
	case o.runners.one():
		// On real processes, scenarios run one after another unless asked otherwise. A failure is
		// not run again to explain it.
		suite.Runner, suite.Jobs, suite.Explain = list[0], max(suite.Jobs, 1), -1
		flagsOf := func(flags string) string { return strings.TrimSpace("--runner " + list[0].Name() + " " + flags) }
		suite.Flags = flagsOf(o.runners.flags(o.runners.timeScale))
		suite.Slower = func(times int) (runners.Runner, string) {
			if ctx.Err() != nil {
				return nil, ""
			}
			r, flags := o.runners.slower(list[0].Name(), times)
			return r, flagsOf(flags)
		}
		return suite.Stream(ctx, told)
	}
	return o.several(ctx, suite, list, told, out)
}

// several runs scenarios on several runners and compares the results.
func (o *testOptions) several(ctx context.Context, suite *steps.Suite, list []runners.Runner, told steps.Listener, out io.Writer) (*steps.Summary, error) {
	slack := compare.DefaultSlack
	slack.Least += time.Duration(float64(time.Second) / o.runners.timeScale) // a second of the wall clock
	c := compare.Comparison{Suite: *suite, Runners: list, Logs: o.runners.compare, Slack: slack}
	c.Slower, c.Flags = o.runners.slower, map[string]string{agentrun.Name: o.runners.agentFlags()}
	c.Suite.Flags, c.Suite.Twice = o.runners.flags(o.runners.timeScale), false
	code, left, err := o.choose(ctx, &c)
	if err != nil {
		return nil, err
	}
	if !left {
		fmt.Fprintln(out, "found nothing to run: the record has all of it, or it takes longer")
		none := steps.NewSummary(steps.Plan{})
		return none, errors.Join(told.Begin(none.Plan), told.End(none))
	}
	m, summary, err := c.Run(ctx, told)
	if m == nil {
		return summary, err
	}
	err = errors.Join(err, o.print(m, out))
	if o.runners.record != "" { // results of an interrupted run are recorded too
		err = errors.Join(err, record(o.runners.record, m, code))
	}
	return summary, err
}

// print prints the result of a comparison. For a foreign agent it prints the agent's report, as a
// table or with --json as JSON.
func (o *testOptions) print(m *compare.Matrix, out io.Writer) error {
	if o.runners.agent == "" {
		return m.Print(out)
	}
	report := m.Port(agentrun.Name, o.runners.agent)
	if o.json {
		e := json.NewEncoder(o.runners.stdout)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	return report.Print(out)
}

// choose removes from a comparison the scenarios that take too long or are already recorded. It
// returns the hashes of the code that the record will refer to, and whether any scenario is left.
// To learn the scenarios' times and traces it runs them in virtual time.
func (o *testOptions) choose(ctx context.Context, c *compare.Comparison) (code *compare.Code, left bool, err error) {
	if o.runners.record == "" && o.runners.longest == 0 {
		return nil, true, nil
	}
	c.Sets = o.runners.record != ""
	plain := c.Suite
	plain.Runner, plain.Seed, plain.Explain = newSimulation(), 1, -1
	report := &steps.Report{}
	if _, err := plain.Stream(ctx, report); err != nil {
		return nil, false, err
	}
	type key struct{ path, name string }
	takes := map[key]time.Duration{}
	for i := range report.Results {
		r := &report.Results[i]
		takes[key{r.Path, r.Name}] = r.Stats.Virtual
		r.Path = strings.TrimPrefix(r.Path, builtin)
	}
	older := &compare.Matrix{}
	if name := o.runners.record; name != "" {
		if older, err = readRecord(name); err == nil {
			code, err = codeBehind(name, report.Results)
		}
		if err != nil {
			return nil, false, fmt.Errorf("--record: %w", err)
		}
	}
	kept := func(sc steps.Listed, runner string) bool {
		cell := older.Cell(strings.TrimPrefix(sc.Path, builtin), sc.Name, runner)
		return o.runners.stale && code.Fresh(strings.TrimPrefix(sc.Path, builtin), sc.Name, runner, cell)
	}
	listed, err := plain.List()
	c.Takes = func(sc steps.Listed) time.Duration { return takes[key{sc.Path, sc.Name}] }
	measure, others, only := c.Runners[0].Name(), c.Runners[1:], c.Suite.Only
	c.Keep = func(sc steps.Listed, runner string) bool { return runner != measure && kept(sc, runner) }
	c.Suite.Only = func(sc steps.Listed) bool {
		some := slices.ContainsFunc(others, func(r runners.Runner) bool { return !kept(sc, r.Name()) })
		long := o.runners.longest > 0 && c.Takes(sc) > o.runners.longest
		return some && !long && (only == nil || only(sc))
	}
	return code, slices.ContainsFunc(listed, c.Suite.Only), err
}

// readRecord reads the results that a record file already has. A missing file gives no results.
func readRecord(name string) (*compare.Matrix, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &compare.Matrix{}, nil
	}
	if err != nil {
		return nil, err
	}
	return compare.ParseMatrix(text)
}

// codeBehind returns the hashes of the code that a record refers to. It returns nil if the record
// file is not in a project with the packages of this one.
func codeBehind(name string, runs []steps.Result) (*compare.Code, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			code, err := compare.ReadCode(os.DirFS(dir), runs)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return code, err
		}
	}
	return nil, nil
}

// record writes the new results into a record file. Other results in it stay.
func record(name string, m *compare.Matrix, code *compare.Code) error {
	for i := range m.Scenarios { // in a record, files of the project lack the prefix builtin:
		m.Scenarios[i].Path = strings.TrimPrefix(m.Scenarios[i].Path, builtin)
	}
	code.Stamp(m)
	older, err := readRecord(name)
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	suite := steps.Suite{Runner: newSimulation(), FS: embeddedFS{}, Paths: []string{featureDir}}
	list, err := suite.List()
	if err != nil {
		return err
	}
	type key struct{ path, name string }
	order := map[key]int{}
	for i, sc := range list {
		order[key{sc.Path, sc.Name}] = i
	}
	text, err := m.Over(older, func(path, name string) (int, bool) {
		i, ok := order[key{path, name}]
		return i, ok
	}).Marshal()
	if err != nil {
		return err
	}
	return wholefile.Write(name, text)
}
