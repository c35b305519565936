// Package node runs a model server of tfserving as a process of a simulated host. It also has
// the clients of such servers.
//
// Two things to use first:
//
//   - [Start] starts a [Node] in virtual time, on the host's files and network.
//   - [Clients] gives agents clients of model servers.
//
// To change:
//
//   - how calls with Go values are answered: node.go
//   - how calls with serialized messages are answered: wire.go
//   - what a client sends and receives: clients.go
//
// Unstable: any commit may change it.
package node

import (
	"path"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// A node serves these gRPC methods. The trailing comments name the Go types of the request and
// response on the simulated network.
const (
	MethodStatus = "/tensorflow.serving.ModelService/GetModelStatus"            // takes env.ModelSpec, returns []env.ModelVersionStatus
	MethodReload = "/tensorflow.serving.ModelService/HandleReloadConfigRequest" // takes serializedConfig, returns env.StatusProto
	// The two methods above accept Go types and serialized messages, those below only messages.
	MethodPredict        = "/tensorflow.serving.PredictionService/Predict"
	MethodMetadata       = "/tensorflow.serving.PredictionService/GetModelMetadata"
	MethodClassify       = "/tensorflow.serving.PredictionService/Classify"
	MethodRegress        = "/tensorflow.serving.PredictionService/Regress"
	MethodMultiInference = "/tensorflow.serving.PredictionService/MultiInference"
)

// serializedConfig is a serialized ModelServerConfig. It has its own type to distinguish it from a
// []byte, which is a whole serialized request.
type serializedConfig []byte

// Node is a tfserving.Server that runs as a process of a simulated host, with virtual time, the
// host's files and the simulated network.
type Node struct {
	// The fields of Config that are needed after the start are copied here. Keeping the whole
	// Options would cost much memory in a simulation with many nodes.
	proc      *vtime.Process
	host      *network.Host
	files     *files.FS
	dir       string
	exit      func(code int, stdout string)
	output    func(level env.Level, format string, args ...any)
	onServing func()
	port      int
	shuffles  bool

	server *tfserving.Server
	// states tracks reads and changes of the version states, so that the engine knows when answers
	// to status queries change.
	states leap.Observed
	// answers caches the last status answer of each model as an interface value, so that an
	// unchanged answer allocates nothing.
	answers []any
}

// Config says what a node runs and where.
type Config struct {
	Options tfserving.Options
	Proc    *vtime.Process
	Host    *network.Host
	Files   *files.FS
	// Dir is the working directory, against which relative paths are resolved.
	Dir string
	// Exit ends the process; stdout is the last text that it prints.
	Exit func(code int, stdout string)
	// Output receives log lines; nil drops them.
	Output func(level env.Level, format string, args ...any)
	// OnEvent, when set, is called at every change of a servable's state.
	OnEvent func(tfserving.Event)
	// OnServing, if set, is called when the port is open.
	OnServing func()
	// OnReason, if set, receives the reasons that tfserving.Server.OnReason receives.
	OnReason func(subject, text string)
}

// Start starts a server. It listens on its port once the server is ready (TFS-9.1).
func Start(c Config) *Node {
	n := &Node{
		proc: c.Proc, host: c.Host, files: c.Files, dir: c.Dir, exit: c.Exit, output: c.Output, onServing: c.OnServing,
		port: c.Options.Port, shuffles: c.Options.ShuffleModels,
	}
	onEvent, node := c.OnEvent, c.Proc.Node()
	n.server = tfserving.New(c.Options, (*nodeHost)(n))
	n.server.OnEvent = func(e tfserving.Event) {
		n.states.BeforeChange()
		node.Note(uint64(e.Version)<<8 ^ uint64(e.State))
		node.NoteString(e.Model)
		if onEvent != nil {
			onEvent(e)
		}
	}
	n.server.OnReason = c.OnReason
	n.server.OnServing(n.open)
	n.server.Start()
	return n
}

// Server returns the state machine that the node runs.
func (n *Node) Server() *tfserving.Server { return n.server }

// open listens on the port. It ends the process if the port is taken.
func (n *Node) open() {
	if _, err := n.host.ServeRPC(network.OwnedBy(n.proc), n.port, n.handle); err != nil {
		(*nodeHost)(n).Log(env.Warning, "listening on port %d: %v", n.port, err)
		n.server.FailToListen()
		return
	}
	if n.onServing != nil {
		n.onServing()
	}
}

func (n *Node) handle(call *network.Call) {
	if data, wire := call.Request.([]byte); wire {
		if n.server.Fake() != nil {
			n.callFake(call, data)
		} else {
			n.callWire(call, data)
		}
		return
	}
	switch call.Method {
	case MethodStatus:
		n.status(call, *call.Request.(*env.ModelSpec))
	case MethodReload:
		n.reload(call)
	default:
		call.Fail(&env.RPCError{Code: rpcerrors.Unimplemented})
	}
}

func (n *Node) status(call *network.Call, spec env.ModelSpec) {
	ask := n.server.Status
	if call.Steps() {
		ask = n.server.StatusSoFar // before other events of this instant, which have not happened yet
	}
	versions, err := ask(spec)
	switch sizeBytes := 16 + len(versions)*16; {
	case err != nil:
		fail(call, err)
	case n.server.Fake() != nil:
		call.Reply(n.answer(versions), sizeBytes)
	default:
		call.ReplyObserved(n.answer(versions), sizeBytes, &n.states)
	}
}

// fail answers a call with an error of the server, in the form that gRPC sends.
func fail(call *network.Call, err error) { call.Fail(tfserving.GRPCStatus(err.(*env.RPCError))) }

const maxAnswers = 64

// answer converts a list of statuses to an interface value. For equal statuses it returns the
// cached value, so that no memory is allocated.
func (n *Node) answer(versions []env.ModelVersionStatus) any {
	if len(versions) == 0 {
		return versions
	}
	for _, a := range n.answers {
		if known := a.([]env.ModelVersionStatus); &known[0] == &versions[0] && len(known) == len(versions) {
			return a
		}
	}
	if len(n.answers) == maxAnswers {
		n.answers = n.answers[:0]
	}
	a := any(versions)
	n.answers = append(n.answers, a)
	return a
}

func (n *Node) callFake(call *network.Call, data []byte) {
	answer, err := n.server.Fake().Call(call.Method, data)
	if err != nil {
		fail(call, err)
		return
	}
	call.Reply(answer, len(answer))
}

func (n *Node) reload(call *network.Call) {
	config, err := modelconfig.ParseServerConfig(call.Request.(serializedConfig))
	if err != nil {
		call.Fail(&env.RPCError{Code: rpcerrors.Internal, Message: err.Error()})
		return
	}
	n.server.Reload(config, func(status *env.RPCError) {
		if status != nil {
			call.Fail(status)
			return
		}
		call.Reply(env.StatusProto{}, 4)
	})
}

var (
	kindTimer   = vtime.NewKind("tfserving.timer")
	kindPredict = vtime.NewKind("tfserving.predict")
)

type nodeHost Node

func (h *nodeHost) Now() time.Duration { return h.proc.Elapsed() }

func (h *nodeHost) After(d time.Duration, fn func()) (cancel func()) {
	timer := h.proc.After(d, kindTimer, fn)
	return func() { timer.Cancel() }
}

// Choose returns a random number below n from the node's random source. Upstream does not define
// which of several models the manager serves first. Without ShuffleModels it is the first by name
// (TFS-21.2).
func (h *nodeHost) Choose(site string, n int) int {
	if site == tfserving.SiteAction && !h.shuffles {
		return 0
	}
	return h.proc.Intn(site, n)
}

func (h *nodeHost) Exit(code int, stdout string) { h.exit(code, stdout) }

func (h *nodeHost) Log(level env.Level, format string, args ...any) {
	if h.output != nil {
		h.output(level, format, args...)
	}
}

// Look calls both functions immediately, because a simulated disk takes no time.
func (h *nodeHost) Look(ask func(tfserving.Storage), told func()) {
	ask((*nodeStorage)(h))
	told()
}

// Work calls both functions immediately, because computations take no virtual time.
func (h *nodeHost) Work(do, done func()) {
	do()
	done()
}

func (h *nodeHost) Watch(name string, changed func()) (cancel func(), ok bool) {
	return h.files.Watch((*nodeStorage)(h).abs(name), changed), true
}

// nodeStorage implements tfserving.Storage with the host's files, including the shared stores that
// are mounted there.
type nodeStorage Node

func (s *nodeStorage) abs(name string) string {
	local := LocalPath(name)
	if path.IsAbs(local) {
		return local
	}
	return path.Join(s.dir, local)
}

// LocalPath converts a path in a model config to a path in the files of a simulated host. A URI
// such as hdfs:///a/b becomes /.store/hdfs/a/b. Other paths are returned unchanged.
func LocalPath(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	return path.Join("/.store", scheme, rest)
}

func (s *nodeStorage) List(name string) ([]string, error) {
	names, _, err := s.files.Names(s.abs(name))
	return names, err
}

func (s *nodeStorage) Exists(name string) bool {
	_, err := s.files.Stat(s.abs(name))
	return err == nil
}

func (s *nodeStorage) SizeBytes(name string) (int64, error) {
	return treeSizeBytes(s.files, s.abs(name))
}

func treeSizeBytes(fs *files.FS, name string) (int64, error) {
	info, err := fs.Stat(name)
	if err != nil || !info.Dir {
		return info.SizeBytes, err
	}
	names, _, err := fs.Names(name)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, child := range names {
		n, err := treeSizeBytes(fs, path.Join(name, child))
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (s *nodeStorage) ReadFile(name string) ([]byte, error) {
	content, _, err := s.files.Content(s.abs(name))
	return content, err
}
