package loopback

import (
	"fmt"
	"os"
	"time"

	"github.com/monosim/monosim/runners"
)

// Options say what the processes of clusters are. With the zero value a cluster is made of
// `monosim zookeeper` and `monosim tfserving`, of the running program, and has no program
// for agents.
type Options struct {
	// Name is the runner's name in reports; "" means "real".
	Name string
	// Monosim is the path of the program monosim; "" means the running one.
	Monosim string
	// ModelServer is a tensorflow_model_server to run in the place of monosim's; ""
	// means what MONOLITH_TFS_BINARY names in the environment, and monosim's without it.
	// Only monosim's goes faster than the clock.
	ModelServer string
	// ZooKeeper is the server of the clusters.
	ZooKeeper ZooKeeper
	// Agent is the program of the agents. Without one only model servers can be run.
	Agent AgentProgram
	// TimeScale is the wall time that a second of the cluster takes, as 0.1; 0 means 1.
	TimeScale float64
	// Slack is the cluster time by which what a scenario waits for may be late, or over
	// early, beyond its own times: what processes take of a machine that has other things
	// to do. 0 means DefaultSlack of wall time, and a negative one none.
	Slack time.Duration
	// Dir is where clusters have their directories; "" means the system's for temporary
	// files.
	Dir string
	// ServerFlags are more flags of monosim's own for the model servers of a pod; nil for
	// none.
	ServerFlags func(p runners.Pod) []string
	// Admin has monosim's ZooKeeper and model servers open their interfaces for faults,
	// which Endpoints names.
	Admin bool
	// Keep leaves all directories of clusters in place; otherwise those of scenarios that
	// passed are removed.
	Keep bool
}

// ZooKeeper is a kind of server.
type ZooKeeper uint8

// The servers that there are.
const (
	// Simulated is `monosim zookeeper`.
	Simulated ZooKeeper = iota
	// Debian is the real server, as runners/zookeeper/server finds it installed.
	Debian
)

// DefaultSlack is the wall time by which things may be late.
const DefaultSlack = 250 * time.Millisecond

// AgentProgram is what runs as the agent of a pod: it is asked at every start.
type AgentProgram func(p Container) (Program, error)

// Container is what the agent of a pod finds.
type Container struct {
	runners.Pod
	// IP is the pod's address, on which all of its servers listen and under which others
	// reach them.
	IP string
	// AgentPort is a free port for the agent's own service, also in Env as PORT2.
	AgentPort int
	// Dir is the pod's own disk: what the agent calls /var/log is Dir/var/log.
	Dir string
	// Home is what the agent calls /opt/tiger/monolith_serving.
	Home string
	// Conf is the agent.conf, in which the paths of models and the address of ZooKeeper
	// are those of this machine.
	Conf string
	// Models is the directory under which paths as /models/ctr lie.
	Models string
	// Env is the whole environment.
	Env []string
	// TimeScale is the wall time that a second of the cluster takes.
	TimeScale float64
	// Monosim is the program monosim.
	Monosim string
	// Outlive has what the agent starts run on after its end, if this machine can do that;
	// else it is ended with the pod in any case.
	Outlive bool
	// Quirks and Python are those of the spec.
	Quirks, Python string
	// Seed is that of the spec.
	Seed uint64
}

// Program is a process to start.
type Program struct {
	// Args are the command line; the first is the program's path.
	Args []string
	// Env is the whole environment.
	Env []string
	// Dir is the working directory; "" means that of the pod's disk.
	Dir string
	// Ready, when set, is a file that the program makes once it is ready to begin, which
	// it does when it reads a line from its standard input: it is started ahead then, so
	// that what it has to import takes no time of the cluster.
	Ready string
}

func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "real"
	}
	if o.TimeScale == 0 {
		o.TimeScale = 1
	}
	if !(o.TimeScale >= 0.001 && o.TimeScale <= 1000) {
		return o, fmt.Errorf("time scale: found %g, want a number from 0.001 to 1000, as 0.1 for ten times the clock", o.TimeScale)
	}
	if o.Slack == 0 {
		o.Slack = time.Duration(float64(DefaultSlack) / o.TimeScale)
	}
	o.Slack = max(o.Slack, 0)
	if o.ModelServer == "" {
		o.ModelServer = os.Getenv("MONOLITH_TFS_BINARY")
	}
	if o.Monosim == "" {
		path, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("the program that runs: %w", err)
		}
		o.Monosim = path
	}
	return o, nil
}
