package programs_test

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/programs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests run the programs in virtual time, and check their results as JSON and their advice
// after failures. That agent_client.py, client.py, run.py and svr_client.py print the same as the
// reference is checked by vectors/golden/agent_client.json and similar files.

// regexpCount matches a count of answered calls above 0.
var regexpCount = regexp.MustCompile(`"count": [1-9]`)

// works repairs every quirk with which a program would not work at all, and keeps all others.
var works = quirks.Python.Repair(quirks.Q61, quirks.Q67, quirks.Q68, quirks.Q71, quirks.Q234, quirks.Q235)

// oneZooKeeper gives every client the same tree, which stays when a client stops.
type oneZooKeeper struct{ zk *worldtest.ZooKeeper }

func (z oneZooKeeper) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return kept{z.zk} }

type kept struct{ *worldtest.ZooKeeper }

func (kept) Start(time.Duration) error { return nil }
func (kept) Stop()                     {}

const conf = worldtest.Dir + "/a.conf"

// inWorld runs fn in a pod with an agent.conf, a ZooKeeper tree, and a model server at port 20001.
func inWorld(t *testing.T, fn func(c *worldtest.Case, zk *worldtest.ZooKeeper)) {
	t.Helper()
	worldtest.Run(t, map[string]string{"MY_HOST_IP": "127.0.0.1", "SHARD_ID": "0"}, func(c *worldtest.Case) {
		c.Write(map[string]string{conf: "bzid b\nbase_name ctr\nbase_path /m\ndeploy_type mixed\nzk_servers z:1\nagent_port 1234\n"})
		c.Must(c.Machine.FS.AddModelVersion("/models/m", 1, 1000))
		options := tfserving.DefaultOptions(tfserving.Profile24)
		options.Port, options.ModelName, options.ModelBasePath = 20001, "m", path.Join("/models", "m")
		c.StartModelServer(options)
		c.Env.Tasks.Sleep(10 * time.Second)
		zk := c.StartedZooKeeper()
		c.Env.ZooKeeper = oneZooKeeper{zk}
		fn(c, zk)
	})
}

// asJSON runs a program and compares its result in JSON with want.
func asJSON(c *worldtest.Case, want, name string, argv ...string) {
	c.T.Helper()
	ended := programs.Run(c.Env, name, argv, programs.Options{Quirks: works})
	text, err := ended.JSON()
	if diff := cmp.Diff(want, string(text)); diff != "" || err != nil || ended.Err != nil {
		c.T.Errorf("%s %q: %v, %v (-want +got):\n%s", name, argv, ended.Err, err, diff)
	}
}

func TestResultsAsJSON(t *testing.T) {
	inWorld(t, func(c *worldtest.Case, zk *worldtest.ZooKeeper) {
		c.Create(zk, "/b/service/ctr/ps:0/0", agenttest.ReplicaData("h:1", env.StateAvailable))
		c.Create(zk, "/b/publish/0:0:ctr", []byte{0xff})
		c.Create(zk, "/b/locks/l", nil)
		asJSON(c, `[
  {
    "path": "/b/service/ctr/ps:0/0",
    "archon_address": "h:1",
    "address": "h:1",
    "state": "AVAILABLE"
  }
]`, programs.AgentClient, "--conf="+conf, "--cmd_type=addr")
		asJSON(c, `{
  "0:0:ctr": {
    "hex": "ff"
  }
}`, programs.AgentClient, "--conf="+conf, "--cmd_type=get", "--args=pub")
		asJSON(c, "{\n  \"l\": \"\"\n}", programs.AgentClient, "--conf="+conf, "--cmd_type=get", "--args=lock")
		asJSON(c, "{\n  \"path\": \"/b/portal/ctr\"\n}", programs.Dispatcher, "--bin_name=agent_client", "--conf="+conf, "--cmd_type=load")
		asJSON(c, `{
  "portal": true,
  "publish": true,
  "service": {
    "ps:0:0": 30
  }
}`, programs.Client, "--zk_servers=z:1", "--bzid=b", "--model_name=ctr")
		asJSON(c, "{\n  \"deleted\": [\n    \"/b/portal/ctr\"\n  ]\n}", programs.AgentClient, "--conf="+conf, "--cmd_type=clean", "--args=portal")
		asJSON(c, "{\n  \"path\": null\n}", programs.AgentClient, "--conf="+conf, "--cmd_type=unload")
		asJSON(c, `{
  "model_version_status": [
    {
      "version": "1",
      "state": "AVAILABLE",
      "status": {
        "error_code": "OK",
        "error_message": ""
      }
    }
  ]
}`, programs.TFSClient, "--conf="+conf, "--cmd_type=status", "--model_name=m", "--target=127.0.0.1:20001")
	})
}

// Goal: load exits with status 1, because the reference takes its result as an error message. If
// run.py starts the program, it exits with 0.
func TestQ235_LoadExitsWith1(t *testing.T) {
	inWorld(t, func(c *worldtest.Case, _ *worldtest.ZooKeeper) {
		c.Write(map[string]string{worldtest.Dir + "/models": `model_config_list { config { name: "n" base_path: "/models/m" model_platform: "tensorflow" } }`})
		argv := []string{"--conf=" + conf, "--cmd_type=load", "--input_file=" + worldtest.Dir + "/models", "--target=127.0.0.1:20001"}
		kept := quirks.Python.Repair(quirks.Q67)
		for _, test := range []struct {
			name   string
			quirks quirks.Set
			want   int
		}{{programs.TFSClient, kept, 1}, {programs.TFSClient, kept.Repair(quirks.Q235), 0}, {programs.Dispatcher, kept, 0}} {
			if test.name == programs.Dispatcher {
				argv = append(argv, "--bin_name=tfs_client")
			}
			if got := programs.Run(c.Env, test.name, argv, programs.Options{Quirks: test.quirks}); got.Exit != test.want || got.Err != nil {
				t.Errorf("%s: got exit status %d, %v, want %d", test.name, got.Exit, got.Err, test.want)
			}
		}
	})
}

func TestFailuresAreToldWithAdvice(t *testing.T) {
	inWorld(t, func(c *worldtest.Case, _ *worldtest.ZooKeeper) {
		for _, test := range []struct {
			name, want string
			argv       []string
		}{
			{programs.AgentClient, "tried the agent at 127.0.0.1:7; is one running there? --port, and MY_HOST_IP in the environment, say where it is", []string{"--conf=" + conf, "--port=7"}},
			{programs.SvrClient, "tried the agent of this host at port 1234; is one running there? agent_port of the conf, and MY_HOST_IP in the environment, say where it is", []string{"--conf=" + conf}},
			{programs.TFSClient, "so says the model server at 127.0.0.1:20001", []string{"--conf=" + conf, "--cmd_type=status", "--target=127.0.0.1:20001", "--model_name=nobody"}},
			{programs.TFSClient, "want --conf, an agent.conf; found 'nope'", []string{"--conf=nope", "--cmd_type=status"}},
			{programs.Client, "so says ZooKeeper at z:1", []string{"--zk_servers=z:1", "--bzid=b", "--model_name=m"}},
			{programs.Client, "want --model_name", []string{"--zk_servers=z:1", "--bzid=b"}},
			{programs.Client, "want --model_dir, the directory of the saved model", []string{"--zk_servers=z:1", "--bzid=b", "--model_name=m", "--cmd_type=load"}},
			{programs.AgentController, "want --export_base, the directory of an export", []string{"--cmd=decl"}},
			{programs.AgentController, "want --layout, and --model_name as a pattern of sub-graphs: ctr:ps_*", []string{"--cmd=pub"}},
		} {
			ended := programs.Run(c.Env, test.name, test.argv, programs.Options{Quirks: works})
			if ended.Advice != test.want || ended.Err == nil || ended.Exit != 1 {
				t.Errorf("%s %q: got %d, %v (%s), want 1 and %s", test.name, test.argv, ended.Exit, ended.Err, ended.Advice, test.want)
			}
		}
		failed := programs.Run(c.Env, programs.Client, []string{"--bzid=b"}, programs.Options{Quirks: works})
		const want = "{\n  \"error\": {\n    \"type\": \"ValueError\",\n    \"message\": \"zk_servers is None\"\n  }\n}"
		if text, err := failed.JSON(); string(text) != want || err != nil || !errors.Is(failed.Err, &pysem.Error{Type: "ValueError"}) {
			t.Errorf("as JSON: got %s, %v, %v, want %s", text, err, failed.Err, want)
		}
	})
}

func TestWrongFlagsHaveAUsage(t *testing.T) {
	inWorld(t, func(c *worldtest.Case, _ *worldtest.ZooKeeper) {
		for _, name := range programs.Names() {
			ended := programs.Run(c.Env, name, []string{"--nope"}, programs.Options{})
			if !errors.As(ended.Err, new(*absl.UsageError)) || ended.Usage == "" || ended.Exit != 1 {
				t.Errorf("%s: got %d, %v, want 1 and its usage", name, ended.Exit, ended.Err)
			}
		}
	})
}

// Goal: two runs of a profile give the same result. Nothing in it depends on a real clock or on the
// order of a map.
func TestAProfileIsTheSameEachTime(t *testing.T) {
	var results []string
	for range 2 {
		inWorld(t, func(c *worldtest.Case, _ *worldtest.ZooKeeper) {
			c.Write(map[string]string{worldtest.Dir + "/data/1": "\x02\x00\x00\x00\x00\x00\x00\x00\x18\x01"})
			argv := []string{"--conf=" + conf, "--cmd_type=profile", "--profile_duration=2", "--parallel_num=3", "--profile_data_dir=" + worldtest.Dir + "/data", "--model_name=m",
				"--target=127.0.0.1:20001"}
			ended := programs.Run(c.Env, programs.TFSClient, argv, programs.Options{Quirks: works.Repair(quirks.Q135, quirks.Q136)})
			text, err := ended.JSON()
			results = append(results, fmt.Sprint(string(text), err, ended.Err))
		})
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" || !regexpCount.MatchString(results[0]) {
		t.Errorf("results: got %s (-first +second):\n%s", results[0], diff)
	}
}
