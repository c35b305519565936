package agent

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

// ModelServerProcess is what agent v3 needs of the model server beside it; the
// reference has two: TFSWrapper and FakeTFSWrapper.
type ModelServerProcess interface {
	Start() error
	Stop() error
	// Poll returns the exit code once the process has ended.
	Poll() (code int, done bool)
	// Exited is broadcast at the end; nil when it never ends.
	Exited() env.Cond
	// IsGRPCRemoteOp says whether entry and PS talk gRPC instead of archon.
	IsGRPCRemoteOp() (bool, error)
	// ListSavedModels names the models of the config file in its order.
	ListSavedModels() ([]string, error)
	// ListSavedModelsStatus asks the server for each of them; a name that is
	// listed twice is in the answer once.
	ListSavedModelsStatus() ([]SavedModelStatus, error)
}

// SavedModelStatus is the status of one model of the config file. When the
// server knew no version, Missing is set: the reference stores an int there, and
// reading its state raises AttributeError (Q27).
type SavedModelStatus struct {
	Name    string
	Status  env.ModelVersionStatus
	Missing bool
}

// State is Status.State as the reference reads it.
func (s SavedModelStatus) State() (env.ModelState, error) {
	if s.Missing {
		return 0, pysem.Raise("AttributeError", "'int' object has no attribute 'state'")
	}
	return s.Status.State, nil
}

// TFSWrapper runs tensorflow_model_server beside an agent v3 (tfs_wrapper.py:33).
type TFSWrapper struct {
	e          *env.Env
	conf       *AgentConfig
	configFile string
	logFile    string
	binary     string
	grpc       bool
	process    env.Process
	stub       env.ModelServer
	models     savedModelList
}

// NewTFSWrapper makes a wrapper; the binary is named by MONOLITH_TFS_BINARY
// (tfs_wrapper.py:31). Unset it is a program called "None" (Q149).
func NewTFSWrapper(e *env.Env, conf *AgentConfig, configFile, logFile string) *TFSWrapper {
	w := &TFSWrapper{e: e, conf: conf, configFile: configFile, logFile: logFile, binary: "None"}
	if binary, ok := e.Host.LookupEnv("MONOLITH_TFS_BINARY"); ok {
		w.binary = binary
	}
	w.grpc = binaryHasString(e.Files, w.binary, "PredictionServiceGrpc")
	return w
}

// binaryHasString stands for `strings BINARY | grep TEXT` (tfs_wrapper.py:49).
func binaryHasString(files env.Files, path, text string) bool {
	content, err := files.ReadFile(path)
	return err == nil && bytes.Contains(content, []byte(text))
}

// IsGRPCRemoteOp says how the binary was built.
func (w *TFSWrapper) IsGRPCRemoteOp() (bool, error) { return w.grpc, nil }

// Command is the command line (tfs_wrapper.py:53-97).
func (w *TFSWrapper) Command() string {
	psm := envOr(w.e.Host, "TCE_PSM", "")
	flags := []string{
		"--model_config_file=" + w.configFile,
		"--port=" + w.conf.TFSPortGRPC.String(),
		"--rest_api_port=" + w.conf.TFSPortHTTP.String(),
		"--model_config_file_poll_wait_seconds=60",
		"--archon_port=" + w.conf.TFSPortArchon.String(),
		"--archon_rpc_psm=" + psm,
		"--archon_rpc_cluster=" + envOr(w.e.Host, "TCE_CLUSTER", ""),
		"--metrics_namespace_prefix=" + psm,
	}
	if !w.grpc {
		flags = append(flags, "--archon_entry_to_ps_rpc_timeout="+w.conf.text("fetch_ps_timeout_ms"))
	}
	flags = append(flags, "--conf_file=conf/service.conf", "--log_conf=conf/log4j.properties")
	flags = append(flags, w.conf.wrapperFlags()...)
	return w.binary + " " + strings.Join(flags, " ")
}

// Start starts the process (tfs_wrapper.py:103). The command is split at blanks
// without a shell. The reference first changes into the directory that its own
// code lies in, which depends on how it was packaged and shows in relative paths
// of flags only; here the process stays where it is.
func (w *TFSWrapper) Start() error {
	command := w.Command()
	process, err := w.e.Processes.Start(env.Command{Args: strings.Fields(command), Output: w.logFile})
	if err != nil {
		return fmt.Errorf("start of the model server: %w", err)
	}
	w.process = process
	w.stub = w.e.Models.Dial("localhost:" + w.conf.TFSPortGRPC.String())
	return nil
}

// Stop kills the process. Before Start it is an AttributeError (Q150).
func (w *TFSWrapper) Stop() error {
	if w.stub != nil {
		w.stub.Close()
	}
	if w.process == nil {
		return pysem.Raise("AttributeError", "'NoneType' object has no attribute 'kill'")
	}
	return w.process.Signal(env.SIGKILL)
}

// Poll returns the exit code once the process has ended.
func (w *TFSWrapper) Poll() (int, bool) { return w.process.Poll() }

// Exited is broadcast when the process ends.
func (w *TFSWrapper) Exited() env.Cond { return w.process.Exited() }

// ListSavedModels reads the config file.
func (w *TFSWrapper) ListSavedModels() ([]string, error) {
	return w.models.read(w.e.Files, w.configFile)
}

// ListSavedModelsStatus asks for each model: the highest AVAILABLE version, else
// the highest (tfs_wrapper.py:137-167). A failed call is UNKNOWN with its code.
//
// Speed: one call for each model of the config file, one after another.
func (w *TFSWrapper) ListSavedModelsStatus() ([]SavedModelStatus, error) {
	names, err := w.ListSavedModels()
	if err != nil {
		return nil, err
	}
	list := make([]SavedModelStatus, 0, len(names))
	for _, name := range names {
		s := SavedModelStatus{Name: name}
		versions, err := w.stub.Status(env.ModelSpec{Name: name}, 0)
		switch {
		case err != nil:
			s.Status = failedStatus(err)
		case len(versions) == 0:
			s.Missing = true
		default:
			s.Status = bestVersion(versions, true)
		}
		list = withStatus(list, s)
	}
	return list, nil
}

// withStatus adds a status, in place of an earlier one of the same name as in a
// Python dict.
func withStatus(list []SavedModelStatus, s SavedModelStatus) []SavedModelStatus {
	for i := range list {
		if list[i].Name == s.Name {
			list[i] = s
			return list
		}
	}
	return append(list, s)
}

// failedStatus is what a status query that failed stands for.
func failedStatus(err error) env.ModelVersionStatus {
	s := env.ModelVersionStatus{State: env.StateUnknown, Status: env.StatusProto{Code: env.Unknown, Message: err.Error()}}
	if rpc, ok := err.(*env.RPCError); ok {
		s.Status = env.StatusProto{Code: rpc.Code, Message: rpc.Message}
	}
	return s
}

// bestVersion is the highest AVAILABLE version, else the highest. Of equal ones
// it is the last or the first: the wrapper takes the end of an ascending list
// (tfs_wrapper.py:153), the updater the beginning of a descending one
// (replica_manager.py:560), and both sort stably.
func bestVersion(versions []env.ModelVersionStatus, last bool) env.ModelVersionStatus {
	best := versions[0]
	for _, v := range versions[1:] {
		betterState := v.State == env.StateAvailable && best.State != env.StateAvailable
		sameState := (v.State == env.StateAvailable) == (best.State == env.StateAvailable)
		if betterState || sameState && (v.Version > best.Version || last && v.Version == best.Version) {
			best = v
		}
	}
	return best
}

// savedModelList parses the model config file, once per content: it is read
// every 30 s and nearly always the same.
type savedModelList struct {
	content []byte
	names   []string
	parsed  bool
}

func (l *savedModelList) read(files env.Files, path string) ([]string, error) {
	content, err := env.ReadShared(files, path)
	if err != nil {
		return nil, err
	}
	if l.parsed && bytes.Equal(content, l.content) {
		return l.names, nil
	}
	var server config.ModelServerConfig
	if err := textpb.Unmarshal(string(content), &server); err != nil {
		return nil, fmt.Errorf("model config file %s: %w", path, err)
	}
	names := make([]string, 0, len(server.GetModelConfigList().GetConfig()))
	for _, m := range server.GetModelConfigList().GetConfig() {
		names = append(names, m.GetName())
	}
	l.content, l.names, l.parsed = content, names, true
	return names, nil
}

// FakeTFSWrapper is the reference's double (tfs_wrapper.py:172): there is no
// process, and every model of the config file is AVAILABLE.
type FakeTFSWrapper struct {
	e          *env.Env
	configFile string
	models     savedModelList
}

// NewFakeTFSWrapper makes the double for a config file.
func NewFakeTFSWrapper(e *env.Env, configFile string) *FakeTFSWrapper {
	return &FakeTFSWrapper{e: e, configFile: configFile}
}

// Start does nothing.
func (w *FakeTFSWrapper) Start() error { return nil }

// Stop does nothing.
func (w *FakeTFSWrapper) Stop() error { return nil }

// Poll never reports an end.
func (w *FakeTFSWrapper) Poll() (int, bool) { return 0, false }

// Exited is never broadcast.
func (w *FakeTFSWrapper) Exited() env.Cond { return nil }

// IsGRPCRemoteOp is an AttributeError: the reference's double lacks it, so a
// HeartBeat over it fails once there are addresses (Q28).
func (w *FakeTFSWrapper) IsGRPCRemoteOp() (bool, error) {
	return false, pysem.Raise("AttributeError", "'FakeTFSWrapper' object has no attribute 'is_grpc_remote_op'")
}

// ListSavedModels reads the config file.
func (w *FakeTFSWrapper) ListSavedModels() ([]string, error) {
	return w.models.read(w.e.Files, w.configFile)
}

// ListSavedModelsStatus says that all are AVAILABLE.
func (w *FakeTFSWrapper) ListSavedModelsStatus() ([]SavedModelStatus, error) {
	names, err := w.ListSavedModels()
	if err != nil {
		return nil, err
	}
	list := make([]SavedModelStatus, 0, len(names))
	for _, name := range names {
		list = withStatus(list, SavedModelStatus{Name: name, Status: env.ModelVersionStatus{State: env.StateAvailable}})
	}
	return list, nil
}

// envOr is os.environ.get(key, fallback).
func envOr(host env.Host, key, fallback string) string {
	if v, ok := host.LookupEnv(key); ok {
		return v
	}
	return fallback
}

// sortedStrings sorts a copy.
func sortedStrings(list []string) []string {
	sorted := append([]string(nil), list...)
	sort.Strings(sorted)
	return sorted
}

var (
	_ ModelServerProcess = (*TFSWrapper)(nil)
	_ ModelServerProcess = (*FakeTFSWrapper)(nil)
)
