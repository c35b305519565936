package jsonmodel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// ServeOptions says which model to serve, and where. [ServeDefaults] returns the command's
// defaults.
type ServeOptions struct {
	// Dir is the directory of the model. It was made by [Export], or holds a directory for each
	// version as TensorFlow Serving expects.
	Dir string
	// Host and Port are the address on which the gRPC server listens.
	Host string
	Port uint16
	// AnyPort means that the server listens on any free port, and that Port is ignored.
	AnyPort bool
	// Workers is the largest number of requests that are processed at the same time.
	Workers int
	// HealthCheck, HealthPort, MaxBatchSize and BatchTimeoutMs have no effect except in the log, as
	// in the Rust port. A HealthPort of 0 means Port + 1.
	HealthCheck    bool
	HealthPort     uint16
	MaxBatchSize   uint64
	BatchTimeoutMs uint64
	// ParameterSyncBindAddr is the IP address and port at which ParameterSyncRpc accepts embeddings
	// from training. "" means that it is not served.
	ParameterSyncBindAddr string
	// TFServingBindAddr is the address at which PredictionService accepts examples, as the Rust
	// port's server does. "" means that it is not served.
	TFServingBindAddr string
}

// ServeDefaults returns the defaults of the Rust port, except that Host is 127.0.0.1 and not
// 0.0.0.0.
func ServeDefaults() ServeOptions {
	return ServeOptions{Host: serve.DefaultHost, Port: 8500, Workers: 4, HealthCheck: true, MaxBatchSize: 64, BatchTimeoutMs: 10}
}

// drainLimit is how long the shutdown waits for running requests (monolith-serving's server.rs).
const drainLimit = 30 * time.Second

// Serve serves a model until ctx is done. It then refuses new requests and answers the running
// ones. It calls logged with each log line, and serving with the port once the port is open. The
// error says why a model or an address cannot be served, in the Rust port's words if it has them.
func Serve(ctx context.Context, o ServeOptions, logged func(string), serving func(port int)) error {
	log := inTurn(logged)
	if err := o.check(log); err != nil {
		return err
	}
	m, err := o.model()
	if err != nil {
		return err
	}
	defer m.end()
	list, err := o.listeners(log)
	if err != nil {
		return err
	}
	defer closeAll(list)
	options := serve.Options{
		Machine: tfserving.DefaultOptions(tfserving.Profile24), Host: strings.Trim(o.Host, "[]"), AnyPort: o.AnyPort, PredictThreads: o.Workers,
	}
	options.Machine.Port, options.Machine.ModelName, options.Machine.ModelBasePath = int(o.Port), m.name, m.base
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
	log(fmt.Sprintf("serving %s at %s", m.name, net.JoinHostPort(options.Host, strconv.Itoa(server.Ports().GRPC))))
	primary, err := grpc.NewClient(net.JoinHostPort(reached(options.Host), strconv.Itoa(server.Ports().GRPC)), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	others := beside(list, primary, m, log)
	serving(server.Ports().GRPC)
	select {
	case <-ctx.Done():
		log("Received shutdown signal, stopping server...")
		err := others.end(drainLimit)
		if !server.Drain(drainLimit) {
			log("Connection drain timeout, forcing shutdown")
		}
		return err
	case <-server.Done():
		code, text := server.Exit()
		return errors.Join(fmt.Errorf("the server has ended: exit code %d: %s", code, strings.TrimSpace(text)), others.end(0))
	}
}

// inTurn makes log safe for calls from several goroutines.
func inTurn(log func(string)) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		log(text)
	}
}

// reached returns the address at which this machine reaches a server that listens on host. An
// unspecified address, such as 0.0.0.0, becomes the loopback address.
func reached(host string) string {
	if ip := net.ParseIP(host); ip.IsUnspecified() && ip.To4() != nil {
		return "127.0.0.1"
	} else if ip.IsUnspecified() {
		return "::1"
	}
	return host
}

// check returns an error for options that cannot be served. Otherwise it logs the options.
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
		port := cmp.Or(int(o.HealthPort), int(o.Port)+1)
		log(fmt.Sprintf("Health check enabled on port %d", port))
	}
	return nil
}

// served describes a model for the simulated server: a directory of versions, the model's name, and
// the export's signature. end removes temporary files.
type served struct {
	base, name, signature string
	end                   func()
}

// model finds the versions to serve. If the directory itself is an export, that is the only
// version. Its number comes from its manifest, else from the directory's name if that is a number,
// else it is 0.
func (o *ServeOptions) model() (*served, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	m := &served{base: dir, name: filepath.Base(dir), signature: Defaults().SignatureName, end: func() {}}
	if versions, err := filepath.Glob(filepath.Join(dir, "[0-9]*", "saved_model.pb*")); err == nil && len(versions) > 0 {
		return m, nil
	}
	version, err := strconv.ParseInt(m.name, 10, 64)
	if err == nil {
		m.name = filepath.Base(filepath.Dir(dir))
	}
	said, err := o.manifest()
	if err != nil {
		return nil, err
	}
	m.signature = cmp.Or(said.Metadata.SignatureName, m.signature)
	if n, err := strconv.ParseInt(said.Version, 10, 64); err == nil && n >= 0 {
		version = n
	}
	if err := o.whole(); err != nil {
		return nil, err
	}
	description, err := describe(m.signature)
	if err != nil {
		return nil, err
	}
	if m.base, err = os.MkdirTemp("", "model"); err != nil {
		return nil, err
	}
	made := filepath.Join(m.base, strconv.FormatInt(max(version, 0), 10))
	if err = os.Mkdir(made, 0o755); err == nil {
		err = os.WriteFile(filepath.Join(made, "saved_model.pb"), description, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(m.base))
	}
	m.end = func() { os.RemoveAll(m.base) }
	return m, nil
}

// These are names of tensors in requests and answers of the Rust port's server
// (tfserving_server.rs).
const (
	inputExamples = "example_batch_row_major"
	outputScores  = "scores"
)

// manifest holds the fields of an export's manifest.json that serving needs.
type manifest struct {
	// Version is the text of `export --model-version`. A model server accepts only whole numbers.
	Version  string
	Metadata struct {
		SignatureName string `json:"signature_name"`
	}
}

// manifest reads manifest.json in the directory. If the file is missing, the result is empty.
func (o *ServeOptions) manifest() (m manifest, err error) {
	file := filepath.Join(o.Dir, "manifest.json")
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// whole returns an error if a file of the export is damaged. It checks files even if no answer
// depends on their content.
func (o *ServeOptions) whole() error {
	dir := os.DirFS(o.Dir)
	for _, pattern := range []string{"model_spec.json", "model.bin", "dense/params.json", "embeddings/*.json"} {
		files, err := fs.Glob(dir, pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := fs.ReadFile(dir, file)
			if err == nil {
				err = json.Unmarshal(text, new(json.RawMessage))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(o.Dir, file), err)
			}
		}
	}
	return nil
}

// describe encodes a model with one signature in the file format of the simulated server.
func describe(signature string) ([]byte, error) {
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
