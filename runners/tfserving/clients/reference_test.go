package clients_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/tfserving/server"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// The tests of this file run the reference's clients and the ports of them. Each side uses a
// `monosim tfserving` of its own with the same models. Both must print the same lines, which
// are then compared with the expected ones.

// anyAddress is an address of this machine that the reference does not treat as the
// loopback. It would not report a loopback address to others (utils.py:1149).
const anyAddress = "0.0.0.0"

// onBothSides runs act for each side with a server of its own, and returns the common lines.
// Port numbers in them are replaced.
func onBothSides(t *testing.T, program string, act func(t *testing.T, s side, served servedModels, say func(string))) []string {
	t.Helper()
	python := newPythonSide(t, "MY_HOST_IP="+anyAddress) // skips first
	dir := t.TempDir()
	var said [][]string
	for _, s := range []side{python, newPortedSide(t, map[string]string{"MY_HOST_IP": anyAddress})} {
		served := serveIn(t, dir, program)
		var lines []string
		act(t, s, served, func(line string) {
			line = strings.ReplaceAll(line, fmt.Sprint(served.GRPCPort), "<PORT>")
			lines = append(lines, strings.ReplaceAll(line, dir, "<DIR>"))
		})
		served.Kill()
		said = append(said, lines)
	}
	if diff := cmp.Diff(said[0], said[1]); diff != "" {
		t.Errorf("lines (-reference +port):\n%s", diff)
	}
	return said[0]
}

// publishOf returns a publish record as JSON, in the form in which it is stored in ZooKeeper.
func publishOf(t *testing.T, model string, subModels map[string]string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"shard_id": 0, "replica_id": -1, "model_name": model, "num_ps": 1, "total_publish_num": 1,
		"sub_models": subModels, "ptype": 1, "is_spec": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Goal: the reference's TFSMonitor works with the served model server, and this project's
// TFSMonitor gets the same results (TFS-16.4, TFS-16.5).
func TestTFSMonitor(t *testing.T) {
	program := monosimForTheReference(t)
	got := onBothSides(t, program, func(t *testing.T, s side, served servedModels, say func(string)) {
		for _, name := range []string{"entry", "ps_0", "default"} {
			served.write(t, name, 1)
		}
		publish := publishOf(t, "m", map[string]string{"entry": served.base("entry") + "/1", "ps_0": served.base("ps_0") + "/1"})
		s.monitor(served.GRPCPort)
		say(s.addr("entry"))
		say(s.publishStatus(publish, false))
		say(s.reload("entry", []string{publish}, false, served.base("default")))
		say(s.publishStatus(publish, false))
		one, nine := int64(1), int64(9)
		say(s.status("entry", nil))
		say(s.reload("ps", []string{publish}, true, served.base("default")))
		say(s.publishStatus(publish, true))
		say(s.status("ps_0", &one))
		say(s.status("ps_0", &nine))
		say(s.reload("ps", []string{publish}, true, "relative"))
		served.Kill()
		say(withoutDetails(s.publishStatus(publish, false)))
		s.stopMonitor()
	})
	const entry, ps, available = "m:entry <DIR>/models/entry/1 ", "m:ps_0 <DIR>/models/ps_0/1 ", "1 AVAILABLE 0 "
	want := []string{
		anyAddress + ":<PORT>",
		entry + "0 UNKNOWN 5 Could not find any versions of model m:entry, " + ps + "0 UNKNOWN 5 Could not find version 1 of model m:ps_0",
		"0 ",
		entry + available + ", " + ps + "0 UNKNOWN 5 Could not find version 1 of model m:ps_0",
		"NOT_FOUND: Could not find any versions of model entry",
		"0 ",
		got[6], // the entry is about to disappear, in the state UNLOADING or END
		"NOT_FOUND: Could not find version 1 of model ps_0",
		"NOT_FOUND: Could not find version 9 of model ps_0",
		"INVALID_ARGUMENT: Expected model default to have an absolute path or URI; got base_path()=relative",
		entry + "0 UNKNOWN 14, " + ps + "0 UNKNOWN 14",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(got[6], ps+available) {
		t.Errorf("line %q, want ps_0 to be available", got[6])
	}
}

// withoutDetails removes error details from a line, because versions of gRPC word them
// differently.
func withoutDetails(line string) string {
	var parts []string
	for _, part := range strings.Split(line, ", m:") {
		head, _, _ := strings.Cut(part, " UNKNOWN 14 ")
		parts = append(parts, head+" UNKNOWN 14")
	}
	return strings.Join(parts, ", m:")
}

// monosimForTheReference builds monosim. It skips the test where the reference cannot be run.
func monosimForTheReference(t *testing.T) string {
	t.Helper()
	pythontest.Reference(t)
	pythontest.Find(t)
	return server.Monosim(t)
}

// serveIn starts a server as serve does, with models in a given directory.
func serveIn(t *testing.T, dir, program string) servedModels {
	t.Helper()
	served := servedModels{dir: dir}
	file := served.file(t, "models.cfg", "model_config_list {}")
	c := server.Config{Program: program, Args: []string{"--model_config_file=" + file, "--max_num_load_retries=0"}}
	served.Server = server.ForTest(t, c)
	return served
}

// Goal: the reference's TFSWrapper accepts monosim as a model server. It starts the program
// with its own command line, finds the marker in the binary, makes calls and kills the
// program (TFS-16.3).
func TestTFSWrapper(t *testing.T) {
	program := monosimForTheReference(t)
	dir := t.TempDir()
	served := servedModels{dir: dir}
	for _, name := range []string{"entry", "ps_0"} {
		served.write(t, name, 3)
	}
	configFile := served.file(t, "models.cfg", served.modelList(map[string]string{"m:entry": "entry", "m:ps_0": "ps_0"}))
	python := newPythonSide(t, "MY_HOST_IP="+anyAddress, server.Variable+"="+program)
	ported := newPortedSide(t, map[string]string{"MY_HOST_IP": anyAddress, server.Variable: program})
	var said [][]string
	for i, s := range []side{python, ported} {
		// server.New only chooses free ports. The wrapper starts the process.
		ports := server.New(t, server.Config{Program: program})
		call := wrapperCall{
			configFile: configFile, archonPort: 7, port: ports.GRPCPort, REST: ports.RESTPort,
			logFile:      filepath.Join(dir, fmt.Sprintf("log%d", i)),
			platformFile: filepath.Join(dir, "platform.cfg"), maxRetries: 0, fetchTimeout: 500,
		}
		lines := []string{s.wrapper(call), awaitModels(s), s.stopWrapper()}
		for j := range lines {
			for _, r := range [][2]string{
				{fmt.Sprint(call.port), "<PORT>"}, {fmt.Sprint(call.REST), "<REST>"}, {program, "<PROGRAM>"}, {dir, "<DIR>"},
			} {
				lines[j] = strings.ReplaceAll(lines[j], r[0], r[1])
			}
		}
		said = append(said, lines)
	}
	if diff := cmp.Diff(said[0], said[1]); diff != "" {
		t.Errorf("lines (-reference +port):\n%s", diff)
	}
	want := []string{
		"gRPC True: <PROGRAM> --model_config_file=<DIR>/models.cfg --port=<PORT> --rest_api_port=<REST> --model_config_file_poll_wait_seconds=60 " +
			"--archon_port=7 --archon_rpc_psm= --archon_rpc_cluster= --metrics_namespace_prefix= " +
			"--conf_file=conf/service.conf --log_conf=conf/log4j.properties --max_num_load_retries=0 --platform_config_file=<DIR>/platform.cfg",
		"poll None, models ['m:entry', 'm:ps_0'], m:entry 3 AVAILABLE 0 , m:ps_0 3 AVAILABLE 0 ",
		"poll -9",
	}
	got := slices.Clone(said[0])
	got[0], want[0] = sortedWords(got[0]), sortedWords(want[0]) // the order of the flags depends on Python's class
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func sortedWords(line string) string {
	words := strings.Fields(line)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// awaitModels repeats a call until the server answers, which opens its port only when its
// models are loaded (TFS-9.1).
func awaitModels(s side) string {
	for began := time.Now(); ; {
		line := s.savedModels()
		if !strings.Contains(line, " UNKNOWN 14 ") || !strings.HasPrefix(line, "poll None, ") || time.Since(began) > patience {
			return line
		}
	}
}

// Goal: the reference's tfs_client gets its answers from the served model server, and the
// port of tfs_client gets the same.
func TestTFSClient(t *testing.T) {
	program := monosimForTheReference(t)
	got := onBothSides(t, program, func(t *testing.T, s side, served servedModels, say func(string)) {
		model := savedmodel.Small{Input: "instances", Output: "y", Type: framework.DataType_DT_STRING}
		if err := server.Write(served.base("m"), 5, model); err != nil {
			t.Fatal(err)
		}
		conf := served.file(t, "agent.conf", agentConf)
		load := served.file(t, "load.cfg", served.modelList(map[string]string{"m": "m"}))
		batch := served.file(t, "batch.pbtxt", "batch_size: 2 named_feature_list { name: '__LABEL__' feature { float_list { value: 1 } } "+
			"feature { float_list { value: 0 } } } named_feature_list { name: 'fc_slot_1' feature { fid_v2_list { value: 281474976710657 } } "+
			"feature { fid_v2_list { value: 281474976710658 } } }")
		call := func(cmd, model string, printed proto.Message, inputFile string) {
			c := clientCall{conf: conf, cmd: cmd, model: model, target: served.GRPCAddr(), inputFile: inputFile}
			if cmd == "get" {
				c.inputType, c.fileType = "dump", "pbtxt"
			}
			say(cmd + " " + s.tfsClient(c, printed))
		}
		call("status", "m", &apis.GetModelStatusResponse{}, "")
		call("load", "m", &util.StatusProto{}, load)
		call("status", "m", &apis.GetModelStatusResponse{}, "")
		call("meta", "m", &apis.GetModelMetadataResponse{}, "")
		call("get", "m", &apis.PredictResponse{}, batch)
		call("get", "nobody", &apis.PredictResponse{}, batch)
	})
	status := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{
		{Version: 5, State: apis.ModelVersionStatus_AVAILABLE, Status: &util.StatusProto{ErrorCode: tfcore.Code_OK}},
	}}
	want := []string{
		"status NOT_FOUND: Could not find any versions of model m",
		"load ",
		"status " + hexOf(t, status),
		"meta INVALID_ARGUMENT: Metadata field base_path is not supported",
		got[4], // looked into below
		"get NOT_FOUND: Servable not found for request: Latest(nobody)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	response := message(t, answer{Hex: strings.TrimPrefix(got[4], "get ")}, &apis.PredictResponse{})
	if y := response.GetOutputs()["y"]; y.GetDtype() != framework.DataType_DT_STRING || y.GetTensorShape().GetDim()[0].GetSize() != 2 {
		t.Errorf("prediction %v, want 2 strings", response)
	}
}

// Goal: all calls of a load test are answered, by the reference's client and by the port.
// Method: each sends calls for a second, from existing data files.
func TestTFSClientProfile(t *testing.T) {
	program := monosimForTheReference(t)
	data := t.TempDir()
	batch, err := proto.Marshal(&example.ExampleBatch{BatchSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	framed := append(binary.LittleEndian.AppendUint64(nil, uint64(len(batch))), batch...)
	for i := range 500 { // as many examples as a profile takes (tfs_client.py:421)
		if err := os.WriteFile(filepath.Join(data, fmt.Sprintf("%d.pb", i)), framed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	onBothSides(t, program, func(t *testing.T, s side, served servedModels, _ func(string)) {
		model := savedmodel.Small{Input: "example_batch", Output: "y", Type: framework.DataType_DT_STRING}
		if err := server.Write(served.base("m"), 1, model); err != nil {
			t.Fatal(err)
		}
		c := clientCall{
			conf: served.file(t, "agent.conf", agentConf), cmd: "load", model: "m", target: served.GRPCAddr(),
			inputFile: served.file(t, "load.cfg", served.modelList(map[string]string{"m": "m"})),
		}
		if line := s.tfsClient(c, &util.StatusProto{}); line != "" {
			t.Errorf("load: got %q, want an empty status", line)
		}
		c.cmd = "profile"
		answered, failed := s.profile(c, data)
		if answered == 0 || failed != 0 {
			t.Errorf("%T: %d calls were answered and %d failed, want some and none", s, answered, failed)
		}
	})
}

const agentConf = "bzid b\nbase_name n\ndeploy_type entry\n"

// modelList returns a model config that maps names to the models' base paths.
func (s servedModels) modelList(names map[string]string) string {
	list := &config.ModelConfigList{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list.Config = append(list.Config, &config.ModelConfig{Name: name, BasePath: s.base(names[name]), ModelPlatform: "tensorflow"})
	}
	return prototext.Format(&config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}})
}

// file writes a file into the directory of the models and returns its path.
func (s servedModels) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
