package tfs

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// ModelServerProcess is the model server beside an agent of version 3. It is a [TFSWrapper], or the
// fake of the reference's tests.
type ModelServerProcess interface {
	// Start starts the process. It does not wait until the server serves.
	Start() error
	// Stop ends the process at once.
	Stop() error
	// Poll returns whether the process has ended, and its exit code if so.
	Poll() (code int, done bool)
	// IsGRPCRemoteOp reports whether entry and PS communicate by gRPC. Otherwise they use archon.
	IsGRPCRemoteOp() (bool, error)
	// ListSavedModels lists the models in the model config file, in their order there.
	ListSavedModels() ([]string, error)
	// ListSavedModelsStatus asks the server for the state of each model in the model config file. A
	// name that is listed twice there appears once.
	ListSavedModelsStatus() ([]SavedModelStatus, error)
}

// SavedModelStatus is the status of one model in the model config file. Missing means that the
// server knew no version of the model. The reference stores an int for the status then, and reading
// its state raises an AttributeError (Q27).
type SavedModelStatus struct {
	Name    string
	Status  env.ModelVersionStatus
	Missing bool
}

// State returns Status.State. For a missing model it returns the AttributeError that Python raises
// when the state is read.
func (s SavedModelStatus) State() (env.ModelState, error) {
	if s.Missing {
		return 0, pysem.Raise("AttributeError", "'int' object has no attribute 'state'")
	}
	return s.Status.State, nil
}

// TFSWrapper runs tensorflow_model_server as a child process of an agent of version 3
// (tfs_wrapper.py:33).
type TFSWrapper struct {
	e          *env.Env
	conf       *agentconfig.AgentConfig
	configFile string
	logFile    string
	binary     string
	grpc       bool
	process    env.Process
	stub       env.ModelServer
	models     modelNames
}

// NewTFSWrapper makes a server without starting it. The server will poll the model config file at
// configFile and print to logFile. MONOLITH_TFS_BINARY names the program (tfs_wrapper.py:31). If
// that is unset, the program's name is "None" (Q149).
func NewTFSWrapper(e *env.Env, conf *agentconfig.AgentConfig, configFile, logFile string) *TFSWrapper {
	w := &TFSWrapper{e: e, conf: conf, configFile: configFile, logFile: logFile, binary: "None"}
	w.models.public = agentconfig.PublicProtos(conf.Quirks)
	if binary, ok := e.Host.LookupEnv("MONOLITH_TFS_BINARY"); ok {
		w.binary = binary
	}
	w.grpc = binaryHasString(e.Files, w.binary, "PredictionServiceGrpc")
	return w
}

// binaryHasString reports whether a file contains a text, as `strings BINARY | grep TEXT` does
// (tfs_wrapper.py:49).
func binaryHasString(files env.Files, path, text string) bool {
	content, err := files.ReadFile(path)
	return err == nil && bytes.Contains(content, []byte(text))
}

// IsGRPCRemoteOp reports whether the binary was built for gRPC, which a text in the binary shows.
// The error is always nil.
func (w *TFSWrapper) IsGRPCRemoteOp() (bool, error) { return w.grpc, nil }

// Command returns the command line, as words separated by blanks (tfs_wrapper.py:53-97).
func (w *TFSWrapper) Command() string {
	psm := agentconfig.EnvOr(w.e.Host, "TCE_PSM", "")
	flags := []string{
		"--model_config_file=" + w.configFile,
		"--port=" + w.conf.TFSPortGRPC.String(),
		"--rest_api_port=" + w.conf.TFSPortHTTP.String(),
		"--model_config_file_poll_wait_seconds=60",
		"--archon_port=" + w.conf.TFSPortArchon.String(),
		"--archon_rpc_psm=" + psm,
		"--archon_rpc_cluster=" + agentconfig.EnvOr(w.e.Host, "TCE_CLUSTER", ""),
		"--metrics_namespace_prefix=" + psm,
	}
	if !w.grpc {
		flags = append(flags, "--archon_entry_to_ps_rpc_timeout="+w.conf.Text("fetch_ps_timeout_ms"))
	}
	flags = append(flags, "--conf_file=conf/service.conf", "--log_conf=conf/log4j.properties")
	flags = append(flags, w.conf.WrapperFlags()...)
	return w.binary + " " + strings.Join(flags, " ")
}

// Start starts the process (tfs_wrapper.py:103). It splits the command line at blanks, without a
// shell. The reference first changes into the directory of its own code, which depends on its
// packaging. That matters only for relative paths in flags. Here the process starts in the agent's
// directory (Q218).
func (w *TFSWrapper) Start() error {
	command, kind := w.Command(), "archon"
	if w.grpc {
		kind = "grpc"
	}
	w.e.Log.Logf(env.Info, "starting %s tfs in %s using command %s", kind, w.e.Files.Getwd(), command)
	process, err := w.e.Processes.Start(env.Command{Args: args(command), Output: w.logFile})
	if err != nil {
		return fmt.Errorf("start of the model server: %w", err)
	}
	w.process = process
	w.stub = w.e.Models.Dial("localhost:" + w.conf.TFSPortGRPC.String())
	return nil
}

// args splits a command line into words. To save memory, agents share the texts of words that many
// of them have.
func args(command string) []string {
	words := strings.Fields(command)
	for i, word := range words {
		words[i] = dict.Text(word)
	}
	return words
}

// Stop kills the process. Before Start it raises an AttributeError (Q150).
func (w *TFSWrapper) Stop() error {
	w.e.Log.Logf(env.Info, "stoping tfs")
	if w.stub != nil {
		w.stub.Close()
	} else {
		w.e.Log.Logf(env.Info, "'NoneType' object has no attribute 'close'")
	}
	if w.process == nil {
		return pysem.Raise("AttributeError", "'NoneType' object has no attribute 'kill'")
	}
	return w.process.Signal(env.SIGKILL)
}

// Poll returns the exit code of the process, and whether the process has ended. Call it after
// Start.
func (w *TFSWrapper) Poll() (int, bool) { return w.process.Poll() }

// Exited returns a condition that is broadcast when the process ends. Call it after Start.
func (w *TFSWrapper) Exited() env.Cond { return w.process.Exited() }

// ListSavedModels lists the models in the model config file, in their order there. The list is
// valid until the next call.
func (w *TFSWrapper) ListSavedModels() ([]string, error) {
	return w.models.read(w.e.Files, w.configFile)
}

// ListSavedModelsStatus asks the server for each model of the config file and takes the highest
// AVAILABLE version, else the highest (tfs_wrapper.py:137-167). A call that fails gives UNKNOWN
// with the call's code. Errors are those of the file.
//
// Cost: a call grows with the models of the config file: one status call after another, without a
// deadline.
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
			w.e.Log.Logf(env.Error, "%v", pylog.Later(func() string { return pylog.Repr(err) }))
			s.Status = failedStatus(err)
		case len(versions) == 0:
			s.Missing = true
		default:
			s.Status = BestVersion(versions, true)
		}
		list = withStatus(list, s)
	}
	return list, nil
}

// withStatus adds a status, or replaces one of the same name, as a Python dict does.
func withStatus(list []SavedModelStatus, s SavedModelStatus) []SavedModelStatus {
	for i := range list {
		if list[i].Name == s.Name {
			list[i] = s
			return list
		}
	}
	return append(list, s)
}

// failedStatus returns the version status that represents a failed status call.
func failedStatus(err error) env.ModelVersionStatus {
	s := env.ModelVersionStatus{State: env.StateUnknown, Status: env.StatusProto{Code: rpcerrors.Unknown, Message: err.Error()}}
	if rpc, ok := err.(*env.RPCError); ok {
		s.Status = env.StatusProto{Code: rpc.Code, Message: rpc.Message}
	}
	return s
}

// BestVersion returns the version that represents a model: the highest AVAILABLE version, or else
// the highest. versions must not be empty. If versions are equal, last decides which is returned.
// The wrapper takes the end of an ascending list (tfs_wrapper.py:153), and the updater the
// beginning of a descending one (replica_manager.py:560). Both sorts are stable.
func BestVersion(versions []env.ModelVersionStatus, last bool) env.ModelVersionStatus {
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

// modelNames caches the model names in the model config file. The file is read every 30 s and
// seldom changes, so it is parsed only if its content is new.
type modelNames struct {
	public  bool // whether the policy latest_once is unknown
	content []byte
	names   []string
	parsed  bool
}

// read lists the models as [ModelNames] does. The list is valid until the next call.
func (l *modelNames) read(files env.Files, path string) ([]string, error) {
	content, err := env.ReadShared(files, path)
	if err != nil {
		return nil, pyos.Error(err, path)
	}
	if l.parsed && bytes.Equal(content, l.content) {
		return l.names, nil
	}
	names, err := l.parse(content)
	if err != nil {
		return nil, err
	}
	l.content, l.names, l.parsed = content, names, true
	return names, nil
}

// ModelNames lists the models in a model config file in order, with repetitions. If the file is not
// a text proto, it returns a ParseError, whose text does not name the file. public means that the
// field latest_once does not exist ([agentconfig.PublicProtos]).
func ModelNames(files env.Files, path string, public bool) ([]string, error) {
	return (&modelNames{public: public}).read(files, path)
}

func (l *modelNames) parse(content []byte) ([]string, error) {
	text, err := pyos.Text(content)
	if err != nil {
		return nil, err
	}
	server, err := agentconfig.ParseModels(text, l.public)
	if err != nil {
		return nil, err
	}
	models := server.GetModelConfigList().GetConfig()
	return lists.Map(models, (*config.ModelConfig).GetName), nil
}

var _ ModelServerProcess = (*TFSWrapper)(nil)
