package jsonmodel_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/runners/serve/jsonmodel"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// Goal: serving a model works from start to shutdown as TRN-4.10 says. Method: real clients send
// requests, and the context is cancelled as a signal would do.

// served serves the model in dir while ask runs, and returns the log.
func served(t *testing.T, dir string, ask func(context.Context, *grpc.ClientConn)) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := jsonmodel.ServeDefaults()
	o.Dir, o.AnyPort = dir, true
	var logged []string
	err := jsonmodel.Serve(ctx, o, func(text string) { logged = append(logged, text) }, func(port int) {
		connection, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		ask(ctx, connection)
		stop()
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(logged, "\n")
}

// versionOf returns the version of a model. It reports a test error unless exactly one version is
// AVAILABLE.
func versionOf(ctx context.Context, t *testing.T, connection *grpc.ClientConn, model string) int64 {
	t.Helper()
	answer, err := apis.NewModelServiceClient(connection).GetModelStatus(ctx, &apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{Name: model}})
	if err != nil || len(answer.ModelVersionStatus) != 1 || answer.ModelVersionStatus[0].State != apis.ModelVersionStatus_AVAILABLE {
		t.Errorf("%s: got %v, %v, want one version that is AVAILABLE", model, answer, err)
		return -1
	}
	return answer.ModelVersionStatus[0].Version
}

func TestServeAnExport(t *testing.T) {
	dir := t.TempDir()
	o := jsonmodel.Defaults()
	o.CheckpointPath, o.OutputPath, o.SignatureName = "../../../cmd/monosim/testdata/checkpoints", filepath.Join(dir, "ranker", "3"), "rank"
	if _, err := jsonmodel.Export(t.Context(), o, func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	log := served(t, o.OutputPath, func(ctx context.Context, connection *grpc.ClientConn) {
		if got := versionOf(ctx, t, connection, "ranker"); got != 3 {
			t.Errorf("version: got %d, want 3", got)
		}
		examples := &framework.TensorProto{
			Dtype: framework.DataType_DT_STRING, StringVal: [][]byte{[]byte("a"), []byte("b")},
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 2}}},
		}
		answer, err := apis.NewPredictionServiceClient(connection).Predict(ctx, &apis.PredictRequest{
			ModelSpec: &apis.ModelSpec{Name: "ranker", SignatureName: "rank"},
			Inputs:    map[string]*framework.TensorProto{"example_batch_row_major": examples},
		})
		if err != nil || answer.Outputs["scores"] == nil || answer.Outputs["scores"].Dtype != framework.DataType_DT_FLOAT {
			t.Errorf("predict: got %v, %v, want floats as scores", answer, err)
		}
	})
	for _, want := range []string{"Found 4 files in model directory", "max_batch_size=64, batch_timeout=10ms", "Health check enabled on port 8501", "Received shutdown signal, stopping server..."} {
		if !strings.Contains(log, want) {
			t.Errorf("log: got\n%s\nwant %s in it", log, want)
		}
	}
}

// Goal: the served version is the one given to the export. If that is not a whole number, as model
// servers need, the version is the directory's name.
func TestServeTheVersionOfAnExport(t *testing.T) {
	for _, c := range []struct {
		dir, said string
		want      int64
	}{{"out", "3", 3}, {"7", "3", 3}, {"7", "1.2.0", 7}, {"out", "1.2.0", 0}, {"out", "-3", 0}} {
		o := jsonmodel.Defaults()
		o.CheckpointPath, o.OutputPath, o.ModelVersion = "../../../cmd/monosim/testdata/checkpoints", filepath.Join(t.TempDir(), "m", c.dir), &c.said
		if _, err := jsonmodel.Export(t.Context(), o, func(text string) { t.Error(text) }); err != nil {
			t.Fatal(err)
		}
		name := map[bool]string{true: "m", false: c.dir}[c.dir == "7"]
		served(t, o.OutputPath, func(ctx context.Context, connection *grpc.ClientConn) {
			if got := versionOf(ctx, t, connection, name); got != c.want {
				t.Errorf("%+v: served as %d", c, got)
			}
		})
	}
}

func TestServeAnEmptyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nothing")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log := served(t, dir, func(ctx context.Context, connection *grpc.ClientConn) {
		if got := versionOf(ctx, t, connection, "nothing"); got != 0 {
			t.Errorf("version: got %d, want 0", got)
		}
	})
	if !strings.Contains(log, "Model directory is empty, no model files found") {
		t.Errorf("log: got\n%s\nwant a warning", log)
	}
}

func TestServeRefusesWhatCannotBeServed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	for _, c := range []struct {
		change func(*jsonmodel.ServeOptions)
		want   string
	}{
		{func(o *jsonmodel.ServeOptions) { o.Dir = "gone" }, `Model directory does not exist: "gone"`},
		{func(o *jsonmodel.ServeOptions) { o.Dir = "serve_test.go" }, "Failed to read model directory"},
		{func(o *jsonmodel.ServeOptions) { o.Port = 0 }, "Configuration error: Invalid port number: port cannot be 0"},
		{func(o *jsonmodel.ServeOptions) { o.Workers = 0 }, "Configuration error: Invalid worker count: must be at least 1"},
		{func(o *jsonmodel.ServeOptions) { o.Host = "localhost" }, `host: found "localhost", want an IP address`},
		{func(o *jsonmodel.ServeOptions) { o.Port = uint16(taken.Addr().(*net.TCPAddr).Port) }, "Failed to start primary serving server"},
	} {
		o := jsonmodel.ServeDefaults()
		o.Dir = dir
		c.change(&o)
		err := jsonmodel.Serve(t.Context(), o, func(string) {}, func(port int) { t.Errorf("served at %d, want %s", port, c.want) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Goal: of a directory of versions the greatest version is served, as TensorFlow Serving does.
func TestServeADirectoryOfVersions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ranker")
	model, err := savedmodel.Small{Input: "x", Output: "score", Type: framework.DataType_DT_FLOAT}.Marshal()
	for _, version := range []int64{2, 7} {
		if err == nil {
			err = export.Version(dir, version, model)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	served(t, dir, func(ctx context.Context, connection *grpc.ClientConn) {
		if got := versionOf(ctx, t, connection, "ranker"); got != 7 {
			t.Errorf("version: got %d, want 7", got)
		}
	})
}

func TestServeRefusesADamagedExport(t *testing.T) {
	for file, text := range map[string]string{
		"manifest.json": `{"metadata": 5}`, "model_spec.json": "", "model.bin": `{"global_step": 5`, "dense/params.json": "[1", "embeddings/user.json": "\x00",
	} {
		o := jsonmodel.ServeDefaults()
		o.Dir = t.TempDir()
		path := filepath.Join(o.Dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := jsonmodel.Serve(t.Context(), o, func(string) {}, func(port int) { t.Errorf("%s: served at %d", file, port) })
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error of the file", file, err)
		}
	}
}
