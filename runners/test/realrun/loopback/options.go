package loopback

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/monosim/monosim/runners"
)

// Options describes the processes of clusters. With the zero value a cluster has `monosim
// zookeeper` and `monosim tfserving`, of the running program, and no program for agents.
type Options struct {
	// Name is the runner's name in reports; "" means "real".
	Name string
	// Monosim is the path of the program monosim; "" means the running one.
	Monosim string
	// ModelServer is a tensorflow_model_server to run in place of monosim's, which "monosim"
	// names. "" means the one that MONOLITH_TFS_BINARY names in the environment, else monosim's.
	// Only monosim's can run faster than the clock, so with others TimeScale has to be 1.
	ModelServer string
	// ZooKeeper selects the server of the clusters. One that is there already keeps the clock, so
	// TimeScale has to be 1.
	ZooKeeper ZooKeeper
	// Agent is the program of the agents. Without it only model servers can run.
	Agent AgentProgram
	// Fake is the program of a model server of the profile python-fake that has no agent; nil means
	// monosim's.
	Fake AgentProgram
	// Trainer is the program of the processes of a training job; nil means `monosim trainer`.
	Trainer TrainerProgram
	// TimeScale is the wall time that a second of the cluster takes, as 0.1; 0 means 1.
	TimeScale float64
	// Slack is the cluster time by which events may be later or earlier than a scenario
	// says, because processes share a machine with other work. 0 means DefaultSlack of wall
	// time, a negative value none.
	Slack time.Duration
	// Dir is the folder for the directories of clusters; "" means the system's folder for
	// temporary files.
	Dir string
	// ServerFlags returns more flags of monosim for the model servers of a pod; nil means none.
	ServerFlags func(p runners.Pod) []string
	// Admin makes monosim's ZooKeeper and model servers open their interfaces for faults,
	// which Endpoints lists. AdminToken is the token by which all of them are used; "" makes a
	// new one, and "none" wants none.
	Admin      bool
	AdminToken string
	// Plain has no network device made for the clusters, as where this program is not root.
	Plain bool
	// Keep keeps the directories of all clusters; otherwise those of passed scenarios are removed.
	Keep bool
}

// DefaultSlack is the wall time by which events may be late.
const DefaultSlack = 250 * time.Millisecond

// AgentProgram returns the program of a pod's agent. It is called at every start.
type AgentProgram func(p Container) (Program, error)

// TrainerProgram returns the program of a process of a training job. It is called at every start.
type TrainerProgram func(p TrainerContainer) (Program, error)

// TrainerContainer describes the surroundings of a process of a training job.
type TrainerContainer struct {
	// Name is the process's own, Role and Index what it stands for ([cluster.TrainerRole]).
	Name, Role string
	Index      int
	// IP is the address of its host, and Dir its own disk.
	IP, Dir string
	// ZooKeeper is the address of the server by which the job finds its processes.
	ZooKeeper string
	// Events is the file to which it appends each [job.Event], a line of JSON each. Variables is where
	// a PS keeps those of the job's variables that it has, as JSON.
	Events, Variables string
	// Job has the directories of this machine.
	Job runners.TrainingSpec
	// Env is the whole environment, as key=value.
	Env []string
	// TimeScale is the wall time that a second of the cluster takes.
	TimeScale float64
}

// Container describes the surroundings of a pod's agent.
type Container struct {
	runners.Pod
	// IP is the pod's address. All of its servers listen on it, and others reach them by it.
	IP string
	// AgentPort is a free port for the agent's own service, also in Env as PORT2.
	AgentPort int
	// Dir is the pod's own disk: the agent's /var/log is Dir/var/log.
	Dir string
	// Home is the folder that the agent calls /opt/tiger/monolith_serving.
	Home string
	// Conf is the agent.conf, with the paths of models and the address of ZooKeeper of this
	// machine.
	Conf string
	// Flags has the flags of a model server without an agent, and Servers the folder of its records:
	// PID-START.args with a file for its output and its flags, a line each, PID-START.ports once it
	// serves, and PID-START.events, all as `monosim tfserving` writes them.
	Flags   []string
	Servers string
	// Models is the folder below which paths such as /models/ctr lie.
	Models string
	// Env is the whole environment, as key=value.
	Env []string
	// TimeScale is the wall time that a second of the cluster takes.
	TimeScale float64
	// Monosim is the program monosim.
	Monosim string
	// Outlive lets what the agent starts outlive it, if this machine can do that; otherwise
	// everything ends with the pod.
	Outlive bool
	// Quirks and Python are those of runners.Spec.
	Quirks, Python string
	// Seed is that of runners.Spec.
	Seed uint64
}

// Program is a process to start.
type Program struct {
	// Args is the command line; the first entry is the program's path.
	Args []string
	// Env is the whole environment, as key=value.
	Env []string
	// Dir is the working directory; "" means the pod's disk.
	Dir string
	// Ready, when set, is a file that the program creates once it is ready to begin. It
	// begins when it reads a line from its standard input. Such a program is started ahead,
	// so that its imports take no time of the cluster.
	Ready string
}

func (o Options) withDefaults() (Options, error) {
	o.Name = cmp.Or(o.Name, "real")
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if !(o.TimeScale >= 0.001 && o.TimeScale <= 1000) {
		return o, fmt.Errorf("time scale: found %g, want a number from 0.001 to 1000, as 0.1 for ten times the clock", o.TimeScale)
	}
	if o.ZooKeeper.keepsTheClock() && o.TimeScale != 1 {
		return o, fmt.Errorf("time scale: found %g, want 1 with the ZooKeeper %s, whose sessions keep the clock", o.TimeScale, o.ZooKeeper)
	}
	if o.Slack == 0 {
		o.Slack = time.Duration(float64(DefaultSlack) / o.TimeScale)
	}
	o.Slack = max(o.Slack, 0)
	switch o.ModelServer {
	case "":
		o.ModelServer = os.Getenv("MONOLITH_TFS_BINARY")
	case "monosim":
		o.ModelServer = ""
	}
	if o.ModelServer != "" && o.TimeScale != 1 {
		return o, fmt.Errorf("time scale: found %g, want 1 with the model server %s, which keeps the clock", o.TimeScale, o.ModelServer)
	}
	o.AdminToken = cmp.Or(o.AdminToken, rand.Text())
	if o.Monosim == "" {
		path, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("the program that runs: %w", err)
		}
		o.Monosim = path
	}
	return o, nil
}
