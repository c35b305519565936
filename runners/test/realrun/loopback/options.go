package loopback

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/monosim/monosim/runners"
)

// Options describes the processes of clusters. With the zero value a cluster runs `monosim
// zookeeper` and `monosim tfserving`, both from the running program, and has no program for
// agents.
type Options struct {
	// Name is the runner's name in reports; "" means "real".
	Name string
	// Monosim is the path of the program monosim; "" means the running one.
	Monosim string
	// ModelServer is the path of a tensorflow_model_server, or "monosim" for this project's own.
	// "" takes the path in the environment variable MONOLITH_TFS_BINARY, or else monosim's. Only
	// monosim's can run faster than the clock, so for others TimeScale has to be 1.
	ModelServer string
	// ZooKeeper selects the ZooKeeper server of the clusters. An existing server runs at the
	// speed of the clock, so then TimeScale has to be 1.
	ZooKeeper ZooKeeper
	// Agent is the program of the agents. Without it only model servers can run.
	Agent AgentProgram
	// Fake is the program for a model server without an agent, if the profile is python-fake.
	// nil means monosim's.
	Fake AgentProgram
	// Trainer is the program of the processes of a training job; nil means `monosim trainer`.
	Trainer TrainerProgram
	// TimeScale is how many seconds of wall time one second of the cluster takes, such as 0.1. The
	// value 0 means 1.
	TimeScale float64
	// Slack is the cluster time by which events may be earlier or later than a scenario says,
	// because processes share a machine with other work. 0 means DefaultSlack of wall time, a
	// negative value means none.
	Slack time.Duration
	// Dir is the folder for the directories of clusters; "" means the system's folder for
	// temporary files.
	Dir string
	// ServerFlags returns additional flags of monosim for the model servers of a pod. nil adds
	// none.
	ServerFlags func(p runners.Pod) []string
	// Admin makes monosim's ZooKeeper and model servers open interfaces for faults, which
	// Endpoints lists. AdminToken is the token that all of them require. "" generates a token,
	// and "none" requires none.
	Admin      bool
	AdminToken string
	// Plain runs clusters without a network device of their own, as is necessary without root.
	Plain bool
	// Keep keeps the directories of all clusters. Without it, directories of passed scenarios
	// are removed.
	Keep bool
}

// DefaultSlack is the wall time by which events may be late if Options.Slack is 0.
const DefaultSlack = 250 * time.Millisecond

// AgentProgram returns the program of a pod's agent. It is called for every start of the
// agent.
type AgentProgram func(p Container) (Program, error)

// TrainerProgram returns the program of a training job's process. It is called for every
// start of the process.
type TrainerProgram func(p TrainerContainer) (Program, error)

// TrainerContainer describes the container in which a process of a training job runs.
type TrainerContainer struct {
	// Name is the name of the process. Role and Index are its part in the job
	// ([cluster.TrainerRole]).
	Name, Role string
	Index      int
	// IP is the container's address, and Dir its own disk.
	IP, Dir string
	// ZooKeeper is the address of the server through which the job's processes find each other.
	ZooKeeper string
	// Events is the file to which the process appends each [job.Event] as a line of JSON.
	// Variables is the file in which a PS stores its variables of the job, as JSON.
	Events, Variables string
	// Job describes the training job, with directories as paths on this machine.
	Job runners.TrainingSpec
	// Env is the process's complete environment, as key=value.
	Env []string
	// TimeScale is how many seconds of wall time one second of the cluster takes.
	TimeScale float64
}

// Container describes the container in which a pod's agent runs.
type Container struct {
	runners.Pod
	// IP is the pod's address. All of its servers listen on it, and other pods reach them there.
	IP string
	// AgentPort is a free port for the agent's own service, also in Env as PORT2.
	AgentPort int
	// Dir is the directory that stands for the pod's own disk: the agent's /var/log is
	// Dir/var/log.
	Dir string
	// Home is the folder that stands for the container's /opt/tiger/monolith_serving.
	Home string
	// Conf is the agent.conf, with model paths and the ZooKeeper address as they are on this
	// machine.
	Conf string
	// Flags holds the flags of a model server without an agent. Servers is the folder for that
	// server's records, in the form that `monosim tfserving` writes. PID-START.args lists its
	// output file and its flags, one a line. PID-START.ports appears once it serves, and
	// PID-START.events holds the states of its models.
	Flags   []string
	Servers string
	// Models is the folder on this machine that contains paths such as /models/ctr.
	Models string
	// Env is the agent's complete environment, as key=value.
	Env []string
	// TimeScale is how many seconds of wall time one second of the cluster takes.
	TimeScale float64
	// Monosim is the path of the program monosim.
	Monosim string
	// Outlive lets processes that the agent starts outlive it, where this machine supports that.
	// Otherwise they end with the pod.
	Outlive bool
	// Quirks and Python have the meaning of the fields of runners.Spec.
	Quirks, Python string
	// Seed is the run's seed, as in runners.Spec.
	Seed uint64
}

// Program describes a process to start.
type Program struct {
	// Args is the command line; the first entry is the program's path.
	Args []string
	// Env is the process's complete environment, as key=value.
	Env []string
	// Dir is the working directory; "" means the pod's disk.
	Dir string
	// Ready, when set, names a file that the program creates once it is loaded. It starts its
	// work when it reads a line from standard input. Such a program is launched before it is
	// needed, so that loading it costs no cluster time.
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
