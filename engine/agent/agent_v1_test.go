package agent_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the processes of an agent v1 (agent_v1.py) start in the right order, wait for the right
// things and are killed at the right time. Method: an agent over the fake ZooKeeper client, on a
// host whose model servers open a port and end as a plan says.

// serverPlan says when a model server opens its port and when it ends. The value never means not at
// all.
type serverPlan struct {
	opens, ends time.Duration
	code        int
}

const never = time.Duration(-1)

// v1Lab runs an agent v1 and records what its processes did.
type v1Lab struct {
	*worldtest.Case
	plans  map[string]serverPlan
	events []string
	agent  *processes.Process
	stub   *agenttest.ModelServer
	log    string // output of the model servers
	err    error  // error of making or starting the agent
	ports  []string
}

var kindPlan = vtime.NewKind("test.plan")

const (
	tfsHome   = "/opt/tiger/monolith_serving"
	tfsBinary = tfsHome + "/bin/tensorflow_model_server"
)

var v1Ports = map[string]string{
	"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3", "PORT": "1000", "PORT2": "1002", "PORT3": "1003", "PORT4": "1004",
	"PORT5": "1005", "PORT6": "1006", "PORT7": "1007", "PORT8": "1008", "PORT9": "1009", "PORT10": "1010",
}

func startV1(t *testing.T, plans map[string]serverPlan, pairs ...any) *v1Lab {
	t.Helper()
	return startV1With(t, v1Ports, plans, pairs...)
}

func startV1With(t *testing.T, vars map[string]string, plans map[string]serverPlan, pairs ...any) *v1Lab {
	t.Helper()
	return startV1Logging(t, "/var/log/tfs.std.log", vars, plans, pairs...)
}

func startV1Logging(t *testing.T, log string, vars map[string]string, plans map[string]serverPlan, pairs ...any) *v1Lab {
	t.Helper()
	lab := &v1Lab{Case: worldtest.New(t, vars), plans: plans, log: log, stub: agenttest.NewModelServer(env.StateAvailable)}
	lab.Write(map[string]string{tfsBinary: "a model server", "/var/log/.keep": ""})
	procs := lab.Machine.Procs
	procs.Register("tensorflow_model_server", lab.serve)
	procs.OnStart(func(p *processes.Process) { lab.note("start %s", kindOfServer(p)) })
	procs.OnExit(func(p *processes.Process) {
		code, _ := p.Poll()
		lab.note("end %s %d", kindOfServer(p), code)
	})
	lab.agent = lab.Start(func() int {
		lab.Env.Models = lab.stub
		lab.run(pairs)
		return 1
	})
	return lab
}

// run is the main function of the agent's process. It returns only with an error.
func (lab *v1Lab) run(pairs []any) {
	conf := agenttest.Config(lab.T, lab.Env, append([]any{"bzid", "b", "base_name", "n", "base_path", "/m", "num_ps", 1}, pairs...)...)
	conf.ReplicaID = pysem.Some(0)
	zk := worldtest.NewZooKeeper(lab.Env)
	var a *agent.AgentV1
	if a, lab.err = agent.NewAgentV1(lab.Env, conf, lab.log, agent.AgentV1Options{ZooKeeper: zk}); lab.err != nil {
		return
	}
	if lab.err = a.Start(); lab.err == nil {
		lab.note("started all")
		lab.err = a.WaitForTermination()
	}
}

// serve plays a model server that follows its plan.
func (lab *v1Lab) serve(p *processes.Process) {
	plan := lab.plans[kindOfServer(p)]
	if plan.opens != never {
		p.Life().After(plan.opens, kindPlan, func() {
			if _, err := lab.Machine.Net.Listen(network.OwnedBy(p.Life()), portOf(p), func(*network.Conn) {}); err != nil {
				panic(err) // cannot happen: the ports of a plan differ
			}
		})
	}
	if plan.ends > 0 {
		p.Life().After(plan.ends, kindPlan, func() { p.Exit(plan.code) })
	}
	if kindOfServer(p) == "entry" {
		lab.ports = slices.DeleteFunc(p.Environ(), func(kv string) bool { return !strings.HasPrefix(kv, "PORT2=") })
	}
}

func portOf(p *processes.Process) int {
	for _, arg := range p.Args() {
		if text, ok := strings.CutPrefix(arg, "--port="); ok {
			port, err := strconv.Atoi(text)
			if err != nil {
				panic(err)
			}
			return port
		}
	}
	panic(fmt.Sprintf("found no port in %v", p.Args()))
}

// kindOfServer returns the kind of model server that a process is, from the prefix of its log file.
// It returns "agent" for another process.
func kindOfServer(p *processes.Process) string {
	kind, _, ok := strings.Cut(strings.TrimPrefix(p.Output(), "/var/log/"), "_tfs.std.log")
	if !ok {
		return "agent"
	}
	return kind
}

// note records an event with the virtual time in seconds.
func (lab *v1Lab) note(format string, args ...any) {
	lab.events = append(lab.events, fmt.Sprintf("%d ", int(lab.World.Now().Round(100*time.Millisecond)/time.Second))+fmt.Sprintf(format, args...))
}

func (lab *v1Lab) want(events ...string) {
	lab.T.Helper()
	if diff := cmp.Diff(events, lab.events); diff != "" {
		lab.T.Errorf("events (-want +got), agent's error %v:\n%s", lab.err, diff)
	}
}

func TestProcessesStartOneAfterTheOtherInTheOrderOfTheirDeployType(t *testing.T) {
	for _, test := range []struct {
		deploy string
		dense  bool
		want   []string
	}{
		{"ps", false, []string{"0 start agent", "0 start ps", "10 started all"}},
		{"dense", true, []string{"0 start agent", "0 start dense", "10 started all"}},
		{"mixed", false, []string{"0 start agent", "0 start ps", "12 start entry", "22 started all"}},
		{"mixed", true, []string{"0 start agent", "0 start ps", "10 start dense", "22 start entry", "32 started all"}},
	} {
		t.Run(fmt.Sprintf("%s dense_alone=%v", test.deploy, test.dense), func(t *testing.T) {
			// A port that opens after the first attempt is found by the second.
			late := serverPlan{opens: time.Second}
			lab := startV1(t, map[string]serverPlan{"ps": late, "dense": late, "entry": late}, "deploy_type", test.deploy, "dense_alone", test.dense)
			lab.Pass(10 * time.Minute)
			lab.want(test.want...)
		})
	}
}

func TestAnEntryWaitsForItsPS(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "mixed")
	lab.stub.Versions[0].State = env.StateLoading
	lab.Pass(6500 * time.Millisecond)
	lab.stub.Versions[0].State = env.StateAvailable
	lab.Pass(time.Minute)
	// The agent asks the model server every second. The entry looks at the replica set every two.
	lab.want("0 start agent", "0 start ps", "8 start entry", "8 started all")
}

func TestTheEntrysAgentPortIsItsPORT2(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "mixed", "agent_port", 4711)
	lab.Pass(time.Minute)
	if diff := cmp.Diff([]string{"PORT2=4711"}, lab.ports); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestQ12_PSThatAppearWithTheLastLookAreATimeout(t *testing.T) {
	for _, test := range []struct {
		appear time.Duration
		want   []string
	}{
		{3596*time.Second + 500*time.Millisecond, []string{"0 start agent", "0 start ps", "3598 start entry", "3598 started all"}},
		{3598*time.Second + 500*time.Millisecond, []string{"0 start agent", "0 start ps", "3600 end ps -9", "3601 end agent -9"}},
	} {
		t.Run(test.appear.String(), func(t *testing.T) {
			lab := startV1(t, nil, "deploy_type", "mixed")
			lab.stub.Versions[0].State = env.StateLoading
			lab.Pass(test.appear)
			lab.stub.Versions[0].State = env.StateAvailable
			lab.Pass(3612 * time.Second)
			lab.want(test.want...)
		})
	}
}

func TestQ20_APortIsTried361Times(t *testing.T) {
	lab := startV1(t, map[string]serverPlan{"ps": {opens: 3595 * time.Second}}, "deploy_type", "ps")
	lab.Pass(2 * time.Hour)
	lab.want("0 start agent", "0 start ps", "3600 started all")
	lab = startV1(t, map[string]serverPlan{"ps": {opens: 3605 * time.Second}}, "deploy_type", "ps")
	lab.Pass(2 * time.Hour)
	lab.want("0 start agent", "0 start ps", "3610 end ps -9", "3611 end agent -9")
}

// Goal: after a failed start no further process starts. The loop of ProcessMgr.start would go on,
// but killing all processes also ends the agent (Q16).
func TestQ16_AfterAFailedStartTheAgentIsGoneBeforeTheNext(t *testing.T) {
	lab := startV1(t, map[string]serverPlan{"ps": {opens: never}}, "deploy_type", "mixed")
	lab.Pass(3 * time.Hour)
	lab.want("0 start agent", "0 start ps", "3610 end ps -9", "3611 end agent -9")
}

func TestQ15_TheEndOfAnyProcessEndsAllEvenWithCode0(t *testing.T) {
	for _, test := range []struct {
		ends  string
		after time.Duration // time since the process started
		code  int
		want  []string
	}{
		{"ps", 99500 * time.Millisecond, 0, []string{"99 end ps 0", "100 end entry -9", "101 end agent -9"}},
		{"entry", 97500 * time.Millisecond, 3, []string{"99 end entry 3", "100 end ps -9", "101 end agent -9"}},
	} {
		t.Run(test.ends, func(t *testing.T) {
			lab := startV1(t, map[string]serverPlan{test.ends: {ends: test.after, code: test.code}}, "deploy_type", "mixed")
			lab.Pass(30 * time.Second)
			lab.events = nil
			lab.Pass(time.Hour)
			lab.want(test.want...)
		})
	}
}

func TestSIGTERMKillsTheProcessesInOrderAndThenTheAgent(t *testing.T) {
	for _, test := range []struct {
		after time.Duration
		want  []string
	}{
		{500 * time.Millisecond, []string{"0 end ps -9", "1 end agent -9"}}, // the entry is still waiting for its turn
		{time.Minute, []string{"60 end ps -9", "61 end entry -9", "62 end agent -9"}},
	} {
		t.Run(test.after.String(), func(t *testing.T) {
			lab := startV1(t, nil, "deploy_type", "mixed")
			lab.Pass(test.after)
			lab.events = nil
			if err := lab.agent.Signal(env.SIGTERM); err != nil {
				t.Fatal(err)
			}
			lab.Pass(time.Hour)
			lab.want(test.want...)
		})
	}
}

// Goal: no process is started while a signal is handled. In Python the main thread does both.
func TestNothingIsStartedWhileASignalIsHandled(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "mixed")
	lab.Pass(1500 * time.Millisecond)
	if err := lab.agent.Signal(env.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lab.Pass(time.Hour)
	lab.want("0 start agent", "0 start ps", "1 end ps -9", "2 end agent -9")
}

func TestAnEntryGivesUpAfterAnHourWithoutDense(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "mixed", "dense_alone", true)
	lab.stub.OnlyPort = "1005" // port of the PS
	lab.Pass(2 * time.Hour)
	lab.want("0 start agent", "0 start ps", "0 start dense", "3600 end ps -9", "3601 end dense -9", "3602 end agent -9")
}

func TestAPort0IsNotWaitedFor(t *testing.T) {
	vars := maps.Clone(v1Ports)
	vars["PORT3"] = "0"
	lab := startV1With(t, vars, map[string]serverPlan{"ps": {opens: never}}, "deploy_type", "ps")
	lab.Pass(2 * time.Hour)
	lab.want("0 start agent", "0 start ps", "0 started all")
}

func TestQ18_UnifiedIsTakenForDenseWhichAsserts(t *testing.T) {
	lab := startV1(t, nil, "deploy_type", "unified")
	lab.Pass(time.Minute)
	if pysem.TypeOf(lab.err) != "AssertionError" {
		t.Errorf("agent v1 of unified: got %v, want AssertionError", lab.err)
	}
}
