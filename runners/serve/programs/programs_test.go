package programs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/serve/programs"
	"github.com/monosim/monosim/runners/tfserving/server"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// Goal: the programs reach the servers that they call. Method: they run as processes under the
// names of the reference's programs. ZooKeeper, model servers and an agent are processes too.
// Golden cases check elsewhere that the output equals the reference's.

// bin is a directory with links to the program monosim under all names.
var bin string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "programs-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	program := filepath.Join(bin, "monosim")
	if text, err := exec.Command("go", "build", "-o", program, "../../../cmd/monosim").CombinedOutput(); err != nil {
		panic(string(text))
	}
	for _, name := range append(programs.Names(), "tensorflow_model_server") {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// patience is the longest wait of a test. It is long because the machine may be busy.
const patience = 2 * time.Minute

// speed is the speed of the agents' time as a multiple of wall time.
const speed = "10x"

// host stands for a container: a directory and environment variables.
type host struct {
	t   *testing.T
	dir string
	env []string
}

func newHost(t *testing.T, variables ...string) *host {
	h := &host{t: t, dir: t.TempDir()}
	h.env = append(os.Environ(), append([]string{"MY_HOST_IP=127.0.0.1", "SHARD_ID=0", "REPLICA_ID=0", "MONOLITH_HOST_SHARD_N=1"}, variables...)...)
	return h
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// write writes a file, creates the directories above it, and returns its path.
func (h *host) write(name string, data []byte) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	h.must(os.WriteFile(path, data, 0o644))
	return path
}

// ended holds the output and the exit code of a program that has ended.
type ended struct {
	stdout, stderr string
	code           int
}

// call runs a program until it ends. args are the program's name and its arguments.
func (h *host) call(args ...string) ended {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := h.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (h *host) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, args[0]), args[1:]...)
	cmd.Env, cmd.Dir = h.env, h.dir
	process.DieWithParent(cmd)
	return cmd
}

// prints runs a program and reports a test error unless it prints want and its exit code is 0.
func (h *host) prints(want string, args ...string) {
	h.t.Helper()
	if got := h.call(args...); got.code != 0 || got.stdout != want {
		h.t.Errorf("%q: got exit code %d, %q\nwant 0, %q\nstandard error: %s", args, got.code, got.stdout, want, got.stderr)
	}
}

// start starts a program that runs until the test ends. The caller has to read the returned output
// or discard it.
func (h *host) start(args ...string) *bufio.Reader {
	h.t.Helper()
	cmd := h.command(context.Background(), args...)
	out, err := cmd.StdoutPipe()
	h.must(err)
	h.must(cmd.Start())
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill() // the error is not looked at: the program may have ended by itself
		_ = cmd.Wait()
	})
	return bufio.NewReader(out)
}

// await repeats try until it returns no error.
func (h *host) await(try func() error) {
	h.t.Helper()
	var err error
	for began := time.Now(); time.Since(began) < patience; {
		if err = try(); err == nil {
			return
		}
	}
	h.t.Fatalf("after %v: %v", patience, err)
}

// zooKeeper starts a ZooKeeper server and returns its address.
func (h *host) zooKeeper() (address string) {
	h.t.Helper()
	address, err := h.start("monosim", "zookeeper", "--listen=127.0.0.1:0", "--speed="+speed).ReadString('\n')
	h.must(err)
	return strings.TrimSpace(address)
}

// entry is a SavedModel in hexadecimal. It has the tag "serve" and a node that calls the model
// ctr:ps_0.
const entry = "124f0a072205736572766512440a0a0a01631205436f6e73740a360a026e301216546653657276696e6752656d6f7465507265646963742a180a0a6d6f64656c5f6e616d65120a12086374723a70735f30"

// Goal: agent_client finds what agent_controller publishes, with an agent between them.
func TestAModelIsDeclaredPublishedAndFound(t *testing.T) {
	ports, err := process.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, fmt.Sprint("PORT2=", ports[0]), fmt.Sprint("PORT=", ports[1]), "MONOLITH_TFS_BINARY="+filepath.Join(bin, "tensorflow_model_server"))
	zk := h.zooKeeper()
	model, err := hex.DecodeString(entry)
	h.must(err)
	h.write("exported/entry/1/saved_model.pb", model)
	h.write("exported/ps_0/1/saved_model.pb", model)
	h.write("home/conf/none", nil)
	h.write("a.conf", fmt.Appendf(nil, "agent_version 3\nbzid b\nbase_name ctr\nbase_path %s\ndeploy_type unified\nlayout_pattern l\nlayout_filters entry;True\nzk_servers %s\nagent_port %d\n",
		filepath.Join(h.dir, "exported"), zk, ports[0]))
	controller := []string{"agent_controller", "--zk_servers=" + zk, "--bzid", "b"}
	h.prints("\n", append(controller, "--cmd=decl", "--export_base="+filepath.Join(h.dir, "exported"))...)
	h.prints("\n", append(controller, "--cmd=pub", "--layout=l", "--model_name=ctr:entry")...)
	var info struct {
		Layouts map[string][]string `json:"layout_info"`
	}
	if text := h.call(append(controller, "--json")...).stdout; json.Unmarshal([]byte(text), &info) != nil || fmt.Sprint(info.Layouts) != "map[l:[ctr:entry]]" {
		t.Errorf("bzid_info: got %s, want the layout l with ctr:entry", text)
	}

	h.start("monosim", "agent", "--conf=a.conf", "--tfs_log=tfs.log", "--tfs_home="+filepath.Join(h.dir, "home"), "--speed="+speed)
	found := regexp.MustCompile(`^ctr:entry  -> \(1\) \n\taddress: "([^"]+:\d+)"\n$`)
	var address string
	h.await(func() error {
		got := h.call("run", "--bin_name=agent_client", "--conf=a.conf", "--server_type=entry")
		if m := found.FindStringSubmatch(got.stdout); m != nil {
			address = m[1]
			return nil
		}
		return fmt.Errorf("HeartBeat: got %+v, want ctr:entry with an address", got)
	})
	h.prints("{'ctr:entry': address: \""+address+"\"\n}\n", "svr_client", "--conf=a.conf", "--server_type=entry")
	h.prints("{\n  \"ctr:entry\": [\n    \""+address+"\"\n  ]\n}\n", "agent_client", "--conf=a.conf", "--json")
	refused := h.call("agent_client", "--conf=a.conf", "--cmd_type=gr")
	if refused.code != 1 || !strings.Contains(refused.stderr, "Exception calling application: not implement for agent v3 (so says the agent at 127.0.0.1:") {
		t.Errorf("GetReplicas: got %+v, want 1 and what the agent answers", refused)
	}

	h.prints("\n", append(controller, "--cmd=unpub", "--layout=l", "--model_name=ctr:*")...)
	h.await(func() error {
		if got := h.call("agent_client", "--conf=a.conf"); got.code != 0 || got.stdout != "" {
			return fmt.Errorf("HeartBeat: got %+v, want nothing", got)
		}
		return nil
	})
}

// Goal: both programs that request a model can request it, see the request and take it back.
func TestAModelIsRequestedAndTakenBack(t *testing.T) {
	h := newHost(t)
	zk := h.zooKeeper()
	h.write("a.conf", []byte("bzid b\nbase_path /e\ndeploy_type unified\nzk_servers "+zk+"\n"))
	asked := func(name string) string {
		return `{"model_name": "` + name + `", "model_dir": "/d", "ckpt": null, "num_shard": 2, "action": "NONE", "spec_replicas": []}`
	}
	client := []string{"client", "--zk_servers=" + zk, "--bzid=b"}
	h.prints("", append(client, "--cmd_type=load", "--model_name=m", "--model_dir=/d", "--num_shard=2")...)
	if got := h.call(append(client, "--cmd_type=load", "--model_name=m", "--model_dir=/d")...); got.code != 1 || !strings.Contains(got.stderr, "RuntimeError: m has exists") {
		t.Errorf("load again: got %+v, want 1 and a RuntimeError", got)
	}
	agentClient := []string{"agent_client", "--conf=a.conf"}
	h.prints("", append(agentClient, "--cmd_type=load", "--model_name=n", "--model_dir=/d", "--num_shard=2")...)
	h.prints("m b'"+asked("m")+"'\nn b'"+asked("n")+"'\n", append(agentClient, "--cmd_type=get", "--args=portal")...)
	h.prints("", append(agentClient, "--cmd_type=unload", "--model_name=n")...)
	h.prints("", append(client, "--cmd_type=unload", "--model_name=m")...)
	h.prints("{}\n", append(agentClient, "--cmd_type=get", "--args=portal")...)
	h.prints("no pub found !\n", append(agentClient, "--cmd_type=get", "--args=pub")...)
	h.prints("m has not load !\n", append(agentClient, "--cmd_type=addr", "--model_name=m")...)
	h.prints("", append(agentClient, "--cmd_type=clean", "--args=portal")...)
}

// Goal: programs can configure a model server, send it requests with inputs of each kind, and
// measure its latency.
func TestAModelServerIsLoadedAskedAndMeasured(t *testing.T) {
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	base := filepath.Join(h.dir, "models", "m")
	for version, input := range map[int64]string{1: "instances", 2: "example_batch"} {
		model := savedmodel.Small{Input: input, Output: "y", Type: framework.DataType_DT_STRING}
		h.must(server.Write(fmt.Sprint(base, version), version, model))
	}
	h.write("a.conf", []byte("bzid b\nbase_name n\ndeploy_type entry\n"))
	h.write("none.cfg", []byte("model_config_list { }"))
	h.write("models.cfg", fmt.Appendf(nil, "model_config_list { config { name: 'm1' base_path: %q model_platform: 'tensorflow' } config { name: 'm2' base_path: %q model_platform: 'tensorflow' } }",
		base+"1", base+"2"))
	batch, err := proto.Marshal(&example.ExampleBatch{BatchSize: 2})
	h.must(err)
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(batch)))
	h.write("data/plain", append(size, batch...))
	h.write("kafka", append(append(make([]byte, 8), size...), batch...))
	h.write("sorted", append(append(binary.LittleEndian.AppendUint64(nil, 3), "abc"...), append(size, batch...)...))
	h.write("text", []byte("batch_size: 2"))
	h.write("instances", make([]byte, 16)) // a file with two empty instances
	h.start("tensorflow_model_server", "--model_config_file="+filepath.Join(h.dir, "none.cfg"), fmt.Sprint("--port=", ports[0]))

	client := func(args ...string) []string {
		return append([]string{"tfs_client", "--conf=a.conf", fmt.Sprint("--target=127.0.0.1:", ports[0])}, args...)
	}
	h.await(func() error {
		if got := h.call(client("--cmd_type=load", "--input_file=models.cfg")...); got.code != 0 {
			return fmt.Errorf("load: got %+v", got)
		}
		return nil
	})
	h.await(func() error {
		got := h.call(client("--cmd_type=status", "--model_name=m1")...)
		if want := "model_version_status {\n  version: 1\n  state: AVAILABLE\n  status {\n  }\n}\n\n"; got.stdout != want {
			return fmt.Errorf("status: got %+v, want %q", got, want)
		}
		return nil
	})
	if got := h.call(client("--cmd_type=meta", "--model_name=m1")...); !strings.Contains(got.stdout, `key: "signature_def"`) {
		t.Errorf("meta: got %+v, want a signature_def", got)
	}
	for _, args := range [][]string{
		{"--model_name=m2", "--input_type=example_batch", "--input_file=data/plain"},
		{"--model_name=m2", "--input_type=example_batch", "--input_file=kafka", "--kafka_dump"},
		{"--model_name=m2", "--input_type=example_batch", "--input_file=kafka", "--lagrangex_header"},
		{"--model_name=m2", "--input_type=example_batch", "--input_file=sorted", "--has_sort_id"},
		{"--model_name=m1", "--input_type=dump", "--file_type=pbtxt", "--input_file=text"},
		{"--model_name=m1", "--input_type=json", "--input_file=data/plain"},
		{"--model_name=m1", "--input_type=instance", "--input_file=instances", "--batch_size=2"},
	} {
		if got := h.call(client(append(args, "--cmd_type=get")...)...); got.code != 0 || !strings.HasPrefix(got.stdout, "outputs {\n  key: \"y\"\n") {
			t.Errorf("get %q: got %+v, want a prediction", args, got)
		}
	}
	profile := h.call(client("--cmd_type=profile", "--model_name=m2", "--profile_data_dir=data", "--profile_duration=1", "--parallel_num=2", "--json")...)
	var measured struct {
		Count int `json:"count"`
	}
	if err := json.Unmarshal([]byte(profile.stdout), &measured); err != nil || measured.Count == 0 || !strings.Contains(profile.stderr, "[Profile] Count: ") {
		t.Errorf("profile: got %+v, %v, want calls that were answered", profile, err)
	}
	if got := h.call(client("--cmd_type=get", "--model_name=m1", "--input_file=data/plain", "--quirks=python")...); got.code != 1 || !strings.Contains(got.stderr, "has no attribute 'setup_host_ip'") {
		t.Errorf("with all quirks: got %+v, want 1 and the reference's failure", got)
	}
}

// Goal: for missing servers and invalid arguments, programs print what they tried and what to do.
func TestWhatFailsIsTold(t *testing.T) {
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	h.write("a.conf", fmt.Appendf(nil, "bzid b\nbase_path /e\ndeploy_type entry\nzk_servers 127.0.0.1:%d\n", ports[0]))
	nobody := fmt.Sprint("127.0.0.1:", ports[0])
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no agent", []string{"agent_client", "--conf=a.conf", fmt.Sprint("--port=", ports[0])}, 1, "failed to connect to all addresses (tried the agent at " + nobody + "; is one running there?"},
		{"no ZooKeeper", []string{"agent_client", "--conf=a.conf", "--cmd_type=get", "--args=pub"}, 1, "KazooTimeoutError (tried ZooKeeper at " + nobody + "; is one running there? zk_servers of the conf names it)"},
		{"no model server", []string{"tfs_client", "--conf=a.conf", "--cmd_type=status", "--target=" + nobody}, 1, "tried the model server at " + nobody},
		{"no conf", []string{"agent_client", "--conf=nope"}, 1, "want --conf, an agent.conf; found 'nope'"},
		{"no model", []string{"agent_client", "--conf=a.conf", "--cmd_type=gr"}, 1, "want --model_name, or a base_name in the conf"},
		{"no input", []string{"tfs_client", "--conf=a.conf", "--cmd_type=get", "--input_file=nope", "--input_type=instance"}, 1, "FileNotFoundError: [Errno 2] No such file or directory: 'nope'"},
		{"an unknown flag, by the Python name", []string{"client", "--modelname=m"}, 1, "Unknown command line flag 'modelname'. Did you mean: model_name ?; see client --help"},
		{"an unknown flag", []string{"monosim", "client", "--modelname=m"}, 2, "see monosim client --help"},
		{"an odd value", []string{"monosim", "agent-client", "--task=x"}, 2, "flag --task=x: invalid literal for int() with base 10: 'x'"},
		{"odd quirks", []string{"monosim", "client", "--quirks=most"}, 2, `--quirks: quirks: found "most"`},
		{"help, by the Python name", []string{"run", "--help"}, 1, ""},
		{"help", []string{"monosim", "run", "--help"}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := h.call(test.args...); got.code != test.code || !strings.Contains(got.stderr, test.want) {
				t.Errorf("%q: got exit code %d, %s\nwant %d, %s", test.args, got.code, got.stderr, test.code, test.want)
			}
		})
	}
}
