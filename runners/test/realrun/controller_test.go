package realrun_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// controllerClient is a Python program. It generates the stub of a .proto file, reads the
// controller's address from a model's directory, and calls each method.
const controllerClient = `
import importlib, json, os, sys
import grpc
from grpc_tools import protoc

proto, model_dir, out = sys.argv[1:]
folder, name = os.path.split(proto)
assert protoc.main(["protoc", "-I", folder, "--python_out", out, "--grpc_python_out", out, name]) == 0
sys.path.insert(0, out)
pb = importlib.import_module("service_pb2")
stubs = importlib.import_module("service_pb2_grpc")

with open(os.path.join(model_dir, "controller_server_addr.txt")) as f:
  port = f.read().rsplit(":", 1)[1]
stub = stubs.ControllerStub(grpc.insecure_channel("127.0.0.1:" + port))
seen = []

def call(method):
  try:
    answer = getattr(stub, method)(getattr(pb, method + "Request")(), timeout=60)
    seen.append(method + ": " + " ".join(str(answer).split()))
  except grpc.RpcError as e:
    seen.append("%s: %s %s" % (method, e.code().name, e.details()))

for method in ["StopTraining", "StopTraining", "GetBlockStatus", "ResumeTraining", "GetBlockStatus", "SaveCheckpoint", "GetTrainingStatus"]:
  call(method)
print(json.dumps(seen))
`

// noFiles is a saver that writes nothing.
type noFiles struct{}

func (noFiles) Save(session.Session, string, int64, bool) error { return nil }
func (noFiles) ExportMetaGraph(string) error                    { return nil }

// Goal: a stub that Python's tools generate from the project's .proto can call the
// controller. It uses a real port, the reference's method names and the controller's address
// file (TRN-2.9).
func TestAStubOfPythonCallsTheController(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "grpc_tools.protoc", "grpc") {
		t.Skip("the Python has no grpcio-tools")
	}
	proto, err := filepath.Abs("../../../engine/proto/monolith/native_training/hooks/server/service.proto")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := walltime.New(walltime.Config{Seed: 1})
	defer w.Close()
	p := w.NewProcess("host", "chief")
	serving, done := make(chan error, 1), make(chan struct{})
	p.Go("main", func() {
		serving <- serveController(p, dir)
		p.Block(func(ctx context.Context) {
			select {
			case <-done:
			case <-ctx.Done():
			}
		})
		p.Crash()
	})
	if err := <-serving; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-c", controllerClient, proto, dir, t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	close(done)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"StopTraining: ", "StopTraining: ALREADY_EXISTS Barrier is placed already.",
		"GetBlockStatus: blocked_indices: 0 unblocked_indices: 1", "ResumeTraining: ",
		"GetBlockStatus: unblocked_indices: 0 unblocked_indices: 1", "SaveCheckpoint: ", "GetTrainingStatus: global_step: 7",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("what the client saw (-want +got):\n%s", diff)
	}
	if leftover, err := filepath.Glob(filepath.Join(dir, "*tmp*")); err != nil || len(leftover) > 0 {
		t.Errorf("beside the address file: found %v, %v, want nothing that was half written", leftover, err)
	}
}

// serveController starts the controller of a job that has reached step 7.
func serveController(p *walltime.Process, dir string) error {
	e, err := surroundings.New(p, surroundings.Options{})
	if err != nil {
		return err
	}
	s := session.NewMemory()
	if err := session.Do(s, session.Assign(session.GlobalStep(), int64(7))); err != nil {
		return err
	}
	options := saveutils.DefaultSaverHookOptions()
	options.Interval.Seconds = 10000
	saver, err := saveutils.NewSaverHook(e, dir, noFiles{}, options)
	if err != nil {
		return err
	}
	hook := server.NewServerHook(e, dir, barrierops.MustBarrierOp(e, 2, barrierops.Options{}), saver)
	return hook.AfterCreateSession(s, nil)
}
