package jsonmodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// ServeOptions say what to serve, and where. [ServeDefaults] are those of the command.
type ServeOptions struct {
	// Dir is the model: a directory that [Export] made, or one of versions as TensorFlow Serving
	// has them.
	Dir string
	// Host and Port are the address of the gRPC server.
	Host string
	Port uint16
	// AnyPort takes a port that is free in the place of Port.
	AnyPort bool
	// Workers are the requests that are worked on at once.
	Workers int
	// HealthCheck, HealthPort, MaxBatchSize and BatchTimeoutMs are written down, as in the Rust
	// port. A HealthPort of 0 is the one after Port.
	HealthCheck    bool
	HealthPort     uint16
	MaxBatchSize   uint64
	BatchTimeoutMs uint64
}

// ServeDefaults are those of the Rust port, but for its host, which is 0.0.0.0.
func ServeDefaults() ServeOptions {
	return ServeOptions{Host: serve.DefaultHost, Port: 8500, Workers: 4, HealthCheck: true, MaxBatchSize: 64, BatchTimeoutMs: 10}
}

// drainLimit is how long requests in flight hold up the end (monolith-serving's server.rs).
const drainLimit = 30 * time.Second

// Serve serves a model until ctx ends; then no request is taken any more, and those in flight are
// answered. log takes what happens, and serving is told the port once it is open. The error is of
// a model or an address that cannot be served; it has the Rust port's text where that has one.
func Serve(ctx context.Context, o ServeOptions, log func(string), serving func(port int)) error {
	if err := o.check(log); err != nil {
		return err
	}
	base, name, end, err := o.basePath()
	if err != nil {
		return err
	}
	defer end()
	options := serve.Options{
		Machine: tfserving.DefaultOptions(tfserving.Profile24), Host: strings.Trim(o.Host, "[]"), AnyPort: o.AnyPort, PredictThreads: o.Workers,
	}
	options.Machine.Port, options.Machine.ModelName, options.Machine.ModelBasePath = int(o.Port), name, base
	server := serve.Start(options)
	defer server.Close()
	select {
	case <-server.Serving():
	case <-server.Done():
		code, text := server.Exit()
		return fmt.Errorf("Failed to start primary serving server: exit code %d: %s", code, strings.TrimSpace(text))
	case <-ctx.Done():
		return nil
	}
	log(fmt.Sprintf("serving %s at %s", name, net.JoinHostPort(options.Host, strconv.Itoa(server.Ports().GRPC))))
	serving(server.Ports().GRPC)
	select {
	case <-ctx.Done():
		log("Received shutdown signal, stopping server...")
		if !server.Drain(drainLimit) {
			log("Connection drain timeout, forcing shutdown")
		}
		return nil
	case <-server.Done():
		code, text := server.Exit()
		return fmt.Errorf("the server has ended: exit code %d: %s", code, strings.TrimSpace(text))
	}
}

// check refuses what cannot be served, and says what will be.
func (o *ServeOptions) check(log func(string)) error {
	if _, err := os.Stat(o.Dir); err != nil {
		return fmt.Errorf("Model directory does not exist: %s", strconv.Quote(o.Dir))
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		return fmt.Errorf("Failed to read model directory: %w", err)
	}
	switch {
	case o.Port == 0:
		return errors.New("Configuration error: Invalid port number: port cannot be 0")
	case o.Workers < 1:
		return errors.New("Configuration error: Invalid worker count: must be at least 1")
	case net.ParseIP(strings.Trim(o.Host, "[]")) == nil:
		return fmt.Errorf("host: found %q, want an IP address of this machine, as 127.0.0.1", o.Host)
	}
	if len(entries) == 0 {
		log("Model directory is empty, no model files found")
	} else {
		log(fmt.Sprintf("Found %d files in model directory", len(entries)))
	}
	log(fmt.Sprintf("Server configuration: max_batch_size=%d, batch_timeout=%dms", o.MaxBatchSize, o.BatchTimeoutMs))
	if o.HealthCheck {
		port := int(o.HealthPort)
		if port == 0 {
			port = int(o.Port) + 1
		}
		log(fmt.Sprintf("Health check enabled on port %d", port))
	}
	return nil
}

// basePath is a directory of versions with the model and its name: a version is the number that its
// directory is named after, or 0. end removes what was made for it.
func (o *ServeOptions) basePath() (base, name string, end func(), err error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", "", nil, err
	}
	name = filepath.Base(dir)
	if versions, err := filepath.Glob(filepath.Join(dir, "[0-9]*", "saved_model.pb*")); err == nil && len(versions) > 0 {
		return dir, name, func() {}, nil
	}
	version, err := strconv.ParseInt(name, 10, 64)
	if err == nil {
		name = filepath.Base(filepath.Dir(dir))
	}
	description, err := o.description()
	if err != nil {
		return "", "", nil, err
	}
	base, err = os.MkdirTemp("", "model")
	if err != nil {
		return "", "", nil, err
	}
	made := filepath.Join(base, strconv.FormatInt(max(version, 0), 10))
	if err = os.Mkdir(made, 0o755); err == nil {
		err = os.WriteFile(filepath.Join(made, "saved_model.pb"), description, 0o600)
	}
	if err != nil {
		return "", "", nil, errors.Join(err, os.RemoveAll(base))
	}
	return base, name, func() { os.RemoveAll(base) }, nil
}

// Tensors of requests and answers of the Rust port's server (tfserving_server.rs).
const (
	inputExamples = "example_batch_row_major"
	outputScores  = "scores"
)

// description is the model as the simulated server reads it: a signature of the name that the
// manifest has.
func (o *ServeOptions) description() ([]byte, error) {
	manifest := struct {
		Metadata struct {
			SignatureName string `json:"signature_name"`
		}
	}{}
	file := filepath.Join(o.Dir, "manifest.json")
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	signature := manifest.Metadata.SignatureName
	if signature == "" {
		signature = Defaults().SignatureName
	}
	type tensor struct {
		Name  string             `json:"name"`
		Type  framework.DataType `json:"dtype"`
		Shape []int64            `json:"shape"`
	}
	return json.Marshal(map[string]any{"signatures": map[string]any{signature: map[string]any{
		"method":  "tensorflow/serving/predict",
		"inputs":  map[string]tensor{inputExamples: {inputExamples + ":0", framework.DataType_DT_STRING, []int64{-1}}},
		"outputs": map[string]tensor{outputScores: {outputScores + ":0", framework.DataType_DT_FLOAT, []int64{-1, 1}}},
	}}})
}
