package programs_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/serve/programs/bench"
)

// call is a call of an agent.
type call struct {
	method            string
	request, response proto.Message
	fields            map[string]any // of the request
}

// calls are one of each method, and one that no agent answers.
var calls = []call{
	{"HeartBeat", &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS}, &agentservice.HeartBeatResponse{}, map[string]any{"server_type": 0}},
	{"HeartBeat", &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_ENTRY}, &agentservice.HeartBeatResponse{}, map[string]any{"server_type": 1}},
	{"GetReplicas", &agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS}, &agentservice.GetReplicasResponse{}, map[string]any{"server_type": 0, "task": 0}},
	{"GetReplicas", &agentservice.GetReplicasRequest{ServerType: 7}, &agentservice.GetReplicasResponse{}, map[string]any{"server_type": 7}},
	{"GetResource", &agentservice.GetResourceRequest{}, &agentservice.GetResourceResponse{}, map[string]any{}},
}

// ask makes the calls with the stub that gRPC for Go generates. An answer is its message
// in hexadecimal, or code and details.
func ask(t *testing.T, host string, port int) (told []answer) {
	t.Helper()
	conn, err := grpc.NewClient(fmt.Sprintf("%s:%d", host, port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for _, c := range calls {
		response := proto.Clone(c.response)
		err := conn.Invoke(ctx, "/monolith.serving.agent_service.AgentService/"+c.method, c.request, response)
		if err != nil {
			s := status.Convert(err)
			told = append(told, answer{Code: codeName(s), Details: s.Message()})
			continue
		}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, answer{Response: hex.EncodeToString(data)})
	}
	return told
}

type answer struct{ Response, Code, Details, Failed string }

// codeName is the name of a code as Python has it.
func codeName(s *status.Status) string {
	return map[string]string{"Unknown": "UNKNOWN", "Internal": "INTERNAL", "Unimplemented": "UNIMPLEMENTED", "Unavailable": "UNAVAILABLE"}[s.Code().String()]
}

// askByPython makes the calls with a stub that Python generates from a .proto.
func askByPython(t *testing.T, python, protoFile, address string) (told []answer) {
	t.Helper()
	cmd := pythontest.Command(t, python, filepath.Join("testdata", "stub.py"), protoFile, address, t.TempDir())
	program := pythontest.Start(t, cmd)
	for _, c := range calls {
		var one answer
		program.Order(t, []any{c.method, string(c.request.ProtoReflect().Descriptor().Name()), c.fields}, &one)
		told = append(told, one)
	}
	return told
}

// Goal: clients in other languages get from an agent what ours does. Method: stubs that
// Python generates from our .proto, and from the reference's where there is a checkout.
func TestStubsOfPythonCallAnAgent(t *testing.T) {
	needsLinux(t)
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "grpc_tools", "grpc") {
		t.Skipf("%s has no grpcio-tools, as runners/tfserving/clients/requirements.txt lists", python)
	}
	for version, lines := range map[string]string{
		"v1": "server_type ps\nagent_version 1\n", "v3": "deploy_type unified\nagent_version 3\nlayout_pattern main\n",
	} {
		t.Run(version, func(t *testing.T) {
			s := newStage(t)
			s.serveZooKeeper()
			s.agent(lines, s.portOf())
			s.await("its service", func() bool {
				addresses, err := s.heartBeat(agentservice.ServerType_PS)
				return err == nil && (version == "v3" || len(addresses["ps:0"].GetAddress()) == 1)
			})
			want := ask(t, s.host, s.port)
			for name, protoFile := range map[string]func(t *testing.T) string{"our .proto": ourProto, "the reference's .proto": theirProto} {
				t.Run(name, func(t *testing.T) {
					got, want := askByPython(t, python, protoFile(t), fmt.Sprintf("%s:%d", s.host, s.port)), slices.Clone(want)
					if version == "v3" {
						// How much memory is free is another answer each time.
						got[len(got)-1], want[len(want)-1] = withoutMemory(t, got[len(got)-1]), withoutMemory(t, want[len(want)-1])
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("calls (-Go +Python):\n%s", diff)
					}
				})
			}
		})
	}
}

func ourProto(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../engine/proto/monolith/agent_service/agent_service.proto")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func theirProto(t *testing.T) string {
	return filepath.Join(pythontest.Reference(t), "monolith", "agent_service", "agent_service.proto")
}

func withoutMemory(t *testing.T, a answer) answer {
	t.Helper()
	data, err := hex.DecodeString(a.Response)
	var resource agentservice.GetResourceResponse
	if err == nil {
		err = proto.Unmarshal(data, &resource)
	}
	if err != nil || a.Code == "" && resource.GetMemory() <= 0 {
		t.Errorf("got %+v, want a resource with memory: %v", a, err)
	}
	resource.Memory = 0
	if data, err = proto.Marshal(&resource); err != nil {
		t.Fatal(err)
	}
	a.Response = hex.EncodeToString(data)
	return a
}

// Goal: our client gets from the reference's own agent what it gets from ours.
func TestOurClientCallsTheReferencesAgent(t *testing.T) {
	needsLinux(t)
	reference, err := bench.ReferenceAgent()
	if err != nil {
		t.Skip(err)
	}
	const lines = "server_type ps\nagent_version 1\n"
	answers := func(start func(s *stage)) []string {
		s := newStage(t)
		s.serveZooKeeper()
		start(s)
		s.await("its PS", func() bool {
			addresses, err := s.heartBeat(agentservice.ServerType_PS)
			return err == nil && len(addresses["ps:0"].GetAddress()) == 1
		})
		return shown(t, ask(t, s.host, s.port))
	}
	got := answers(func(s *stage) { s.agent(lines, s.portOf()) })
	want := answers(func(s *stage) {
		s.host = "127.0.0.2" // it listens on its own address
		s.write("agent.conf", fmt.Sprintf(conf, s.dir, s.zooKeeper)+lines)
		cmd, err := reference(bench.Place{
			Dir: s.dir, Home: filepath.Join(s.dir, "home"), Conf: filepath.Join(s.dir, "agent.conf"), IP: "127.0.0.2", Speed: fast,
			Flags: []string{"--tfs_log=" + filepath.Join(s.dir, "tfs.log")},
			Env:   []string{"SHARD_ID=0", "REPLICA_ID=0", "MY_HOST_IP=127.0.0.2", "MY_POD_NAME=pod", "TCE_PSM=test", s.portOf()},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.start(bench.Begin(cmd))
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-the reference's agent +ours):\n%s", diff)
	}
}

var port = regexp.MustCompile(`:\d{4,5}`)

// shown are answers as text, without the ports of model servers, which are free ones.
func shown(t *testing.T, answers []answer) (list []string) {
	t.Helper()
	for i, a := range answers {
		data, err := hex.DecodeString(a.Response)
		message := proto.Clone(calls[i].response)
		if err == nil {
			err = proto.Unmarshal(data, message)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := prototext.MarshalOptions{}.Format(message)
		list = append(list, port.ReplaceAllString(text, ":port")+a.Code+" "+a.Details)
	}
	return list
}
