package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Wire is the TensorFlow server of one process together with its gRPC connections to the other
// servers. The methods begin with "/monosim.training.Variables/" and have messages in JSON.
// TensorFlow's own worker service carries graphs, which have no counterpart here.
type Wire struct {
	e    *env.Env
	own  server
	addr string // "" while the server does not run
	// life identifies this process among those that run at the same address one after another. It
	// lets clients notice a restart.
	life     int64
	channels map[string]env.Channel
}

// NewWire makes the server of a process. [Wire.Handle] has to wrap the handler of the process's
// other services.
func NewWire(e *env.Env) *Wire { return &Wire{e: e, channels: map[string]env.Channel{}} }

// service is the prefix of all method names.
const service = "/monosim.training.Variables/"

// The methods of the service.
const (
	methodRun        = service + "Run"
	methodReady      = service + "Ready"
	methodInitialize = service + "Initialize"
)

// asked is the request of the method Run. The requests of the other methods are empty.
type asked struct {
	Ops []wireOp `json:"ops"`
}

// answered is the reply of every method.
type answered struct {
	// Life identifies the process that replies, so that a restart can be noticed.
	Life   int64       `json:"life"`
	Ready  bool        `json:"ready"`
	Values []wireValue `json:"values,omitempty"`
	// Class and Message describe a TensorFlow error. An empty Class means that the call succeeded.
	Class   string `json:"class,omitempty"`
	Message string `json:"message,omitempty"`
}

// wireOp is the JSON form of an Op.
type wireOp struct {
	Name   string    `json:"name"`
	First  wireValue `json:"first"`
	Index  int       `json:"index"`
	Assign wireValue `json:"assign"`
	Add    int64     `json:"add,omitempty"`
}

// wireValue is the JSON form of a variable's value. Exactly one field is set, or none for nil.
type wireValue struct {
	Bool  *bool  `json:"bool,omitempty"`
	Int   *int64 `json:"int,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	Bools []bool `json:"bools,omitempty"`
	// Empty names the type of a list without elements. The other fields are omitted if they are
	// empty.
	Empty string `json:"empty,omitempty"`
}

// onWire converts a value to its JSON form. It fails for a type that variables cannot have.
func onWire(value any) (w wireValue, err error) {
	switch v := value.(type) {
	case nil:
	case bool:
		w.Bool = &v
	case int64:
		w.Int = &v
	case []byte:
		if w.Bytes = v; len(v) == 0 {
			w.Empty = "bytes"
		}
	case []bool:
		if w.Bools = v; len(v) == 0 {
			w.Empty = "bools"
		}
	default:
		err = fmt.Errorf("value of a variable: found a %T, want a bool, an int64, bytes or bools", value)
	}
	return w, err
}

// value returns the value that w encodes.
func (w wireValue) value() any {
	switch {
	case w.Bool != nil:
		return *w.Bool
	case w.Int != nil:
		return *w.Int
	case w.Bytes != nil || w.Empty == "bytes":
		return append([]byte{}, w.Bytes...)
	case w.Bools != nil || w.Empty == "bools":
		return append([]bool{}, w.Bools...)
	}
	return nil
}

func opOnWire(op Op) (w wireOp, err error) {
	w = wireOp{Name: op.Variable.Name, Index: op.Index, Add: op.Add}
	if w.First, err = onWire(op.Variable.First); err == nil {
		w.Assign, err = onWire(op.Assign)
	}
	return w, err
}

func (w wireOp) op() Op {
	return Op{Variable: &Variable{Name: w.Name, First: w.First.value()}, Index: w.Index, Assign: w.Assign.value(), Add: w.Add}
}

// Start begins the server at addr. Its variables are not initialized yet.
func (w *Wire) Start(addr string) {
	w.addr, w.own, w.life = addr, server{}, w.e.Clock.Now().UnixNano()
}

// Stop ends the server and drops its variables.
func (w *Wire) Stop(addr string) {
	if addr == w.addr {
		w.addr, w.own = "", server{}
	}
}

// Local returns the variables of this process, or nil if addr belongs to another process.
func (w *Wire) Local(addr string) *Memory {
	if addr != w.addr || addr == "" {
		return nil
	}
	return &w.own.memory
}

// Handle answers the calls of other processes about variables and passes all others to next.
func (w *Wire) Handle(next env.Handler) env.Handler {
	return func(method string, request []byte) ([]byte, error) {
		if !strings.HasPrefix(method, service) {
			return next(method, request)
		}
		var in asked
		if len(request) > 0 {
			if err := json.Unmarshal(request, &in); err != nil {
				return nil, &env.RPCError{Code: rpcerrors.InvalidArgument, Message: fmt.Sprintf("%s: found %v, want the message of operations", method, err)}
			}
		}
		if w.addr == "" {
			return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "the server has ended"}
		}
		var ops []Op
		for i := range in.Ops {
			op := in.Ops[i].op()
			if _, isBool := op.Assign.(bool); op.Index >= 0 && op.Assign != nil && !isBool {
				return nil, &env.RPCError{Code: rpcerrors.InvalidArgument, Message: fmt.Sprintf("%s: element %d of %s: found a %T, want a bool", method, op.Index, in.Ops[i].Name, op.Assign)}
			}
			ops = append(ops, op)
		}
		values, err := w.serve(method, ops)
		var refused *env.RPCError
		if errors.As(err, &refused) {
			return nil, refused
		}
		return w.answer(values, err)
	}
}

// answer encodes the reply of a method.
func (w *Wire) answer(values []any, err error) ([]byte, error) {
	out := answered{Life: w.life, Ready: w.own.ready}
	if err != nil {
		out.Class, out.Message = pysem.TypeOf(err), textOf(err)
	}
	for _, value := range values {
		v, err := onWire(value)
		if err != nil {
			return nil, err
		}
		out.Values = append(out.Values, v)
	}
	return json.Marshal(out)
}

// textOf returns the text of an error without its class.
func textOf(err error) string {
	var raised *pysem.Error
	if errors.As(err, &raised) {
		return raised.Message
	}
	return err.Error()
}

// serve runs a method on the process's own variables.
func (w *Wire) serve(method string, ops []Op) ([]any, error) {
	switch method {
	case methodReady:
		return nil, nil
	case methodInitialize:
		w.own.memory.keep(processVariable)
		w.own.ready = true
		return nil, nil
	case methodRun:
		for _, op := range ops {
			if !w.own.ready && !processVariable(op.Variable.Name) {
				return nil, uninitialized(op.Variable)
			}
		}
		return w.own.memory.Run(ops...)
	}
	return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
}

// Connect makes a session over the servers of a cluster. It uses the Env of the Wire and ignores
// the one that it is given.
func (w *Wire) Connect(_ *env.Env, addrs map[string]string, main string) Link {
	return &wireLink{w: w, devices: devices{addrs, main}, lives: map[string]int64{}}
}

// channel returns the connection to an address. The connection lives as long as the process,
// because each retry of a failed session makes a new session.
func (w *Wire) channel(addr string) env.Channel {
	if w.channels[addr] == nil {
		w.channels[addr] = w.e.Network.Dial(addr)
	}
	return w.channels[addr]
}

// wireLink is a session of one process over the servers of a cluster.
type wireLink struct {
	w *Wire
	devices
	// lives holds, for each address, the life in the first reply from it. Another life later means
	// that the server was restarted.
	lives map[string]int64
}

// ask calls a method of the server at addr, which may be this process's own. The server does the
// operations of one call with no other operation in between.
func (l *wireLink) ask(addr, method string, ops []Op) (answered, []any, error) {
	if addr == l.w.addr {
		values, err := l.w.serve(method, ops)
		return answered{Life: l.w.life, Ready: l.w.own.ready}, values, err
	}
	out, err := l.call(addr, method, ops)
	if err != nil {
		return out, nil, err
	}
	if life, ok := l.lives[addr]; ok && life != out.Life {
		return out, nil, Raise("AbortedError", "Session handle is not found: %s was started again", addr)
	}
	l.lives[addr] = out.Life
	if out.Class != "" {
		return out, nil, Raise(out.Class, "%s", out.Message)
	}
	return out, lists.MapOrNil(out.Values, wireValue.value), nil
}

// call sends the request over gRPC. A failed status becomes one of TensorFlow's errors.
func (l *wireLink) call(addr, method string, ops []Op) (out answered, err error) {
	var request []byte
	if len(ops) > 0 {
		var in asked
		for _, op := range ops {
			one, err := opOnWire(op)
			if err != nil {
				return out, err
			}
			in.Ops = append(in.Ops, one)
		}
		if request, err = json.Marshal(in); err != nil {
			return out, err
		}
	}
	data, err := l.w.channel(addr).Call(method, request, 0)
	var refused *env.RPCError
	switch {
	case errors.As(err, &refused) && refused.Code == rpcerrors.Unavailable:
		return out, Raise("UnavailableError", "%s: %s", refused.Message, addr)
	case err != nil:
		return out, Raise("UnknownError", "%s: %v", addr, err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, Raise("InternalError", "%s: found %v, want the answer of a server of variables", addr, err)
	}
	return out, nil
}

// Run does the operations, one server after the other. Other sessions' operations may run between
// the operations on two servers, but not between the operations on one server.
func (l *wireLink) Run(ops ...Op) ([]any, error) {
	values := make([]any, len(ops))
	var places []string
	for i := range ops {
		if addr := l.addr(ops[i].Variable); !slices.Contains(places, addr) {
			places = append(places, addr)
		}
	}
	for _, addr := range places {
		var at []int
		var there []Op
		for i := range ops {
			if l.addr(ops[i].Variable) == addr {
				at, there = append(at, i), append(there, ops[i])
			}
		}
		_, found, err := l.ask(addr, methodRun, there)
		if err == nil && len(found) != len(there) {
			err = Raise("InternalError", "%s: found %d values, want %d", addr, len(found), len(there))
		}
		if err != nil {
			return nil, err
		}
		for k, i := range at {
			values[i] = found[k]
		}
	}
	return values, nil
}

// Step makes the part of a training step after its reads ([Link.Step]).
func (l *wireLink) Step(devices []string, d time.Duration, counter *Variable) (int64, error) {
	l.w.e.Tasks.Sleep(d)
	if err := l.Check(devices); err != nil {
		return 0, err
	}
	return Get[int64](l, AssignAdd(counter, 1))
}

// Coast counts no steps. Another process may change a variable, and this process would not be told.
func (l *wireLink) Coast(Steps) {}

// Check returns an error unless the servers of all devices answer and are initialised.
func (l *wireLink) Check(devices []string) error {
	ready, err := l.Ready(devices)
	if err == nil && !ready {
		err = errUninitialized()
	}
	return err
}

// Initialize makes all servers give their variables their first values. If any server cannot be
// reached, it initializes none.
func (l *wireLink) Initialize(devices []string) error {
	if _, err := l.Ready(devices); err != nil {
		return err
	}
	return l.each(devices, methodInitialize, func(answered) {})
}

// Ready reports whether the servers of all devices are initialised.
func (l *wireLink) Ready(devices []string) (bool, error) {
	ready := true
	err := l.each(devices, methodReady, func(a answered) { ready = ready && a.Ready })
	return ready, err
}

func (l *wireLink) each(devices []string, method string, fn func(answered)) error {
	for _, d := range devices {
		a, _, err := l.ask(l.addrs[d], method, nil)
		if err != nil {
			return err
		}
		fn(a)
	}
	return nil
}

var (
	_ Cluster = (*Wire)(nil)
	_ Link    = (*wireLink)(nil)
)
