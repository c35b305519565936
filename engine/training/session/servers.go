package session

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Cluster lets the processes of a job reach each other's variables. [Servers] is for processes that
// share one memory, and [Wire] for separate programs.
type Cluster interface {
	// Handle wraps a process's handler: it answers calls about this process's variables and
	// passes all others to next.
	Handle(next env.Handler) env.Handler
	// Start begins the server of a process, whose variables are not initialized yet. Stop ends the
	// server and drops its variables.
	Start(addr string)
	Stop(addr string)
	// Local returns the variables of the server at addr, for use by the process that runs the
	// server. It returns nil if no server runs there.
	Local(addr string) *Memory
	// Connect makes a session over the servers of a cluster. addrs maps devices to addresses. A
	// variable without a device, or on a device that addrs lacks, is on the first device of main.
	Connect(e *env.Env, addrs map[string]string, main string) Link
}

// Link is a session over the servers of a cluster. Its errors are those of TensorFlow's workers: an
// UnavailableError if a server cannot be reached, an AbortedError if it was restarted, and a
// FailedPreconditionError before its variables are initialized.
type Link interface {
	Session
	// Step makes a training step, but for its reads. It lasts for d, reaches the servers of all
	// devices, adds 1 to counter and returns the sum.
	Step(devices []string, d time.Duration, counter *Variable) (int64, error)
	// Coast counts steps as long as each would do what the last step that Run and Step made did.
	// The first step that differs is finished by the next calls of Run and Step. Coast may also
	// count no step at all.
	Coast(s Steps)
	// Check returns an error unless the servers of all devices can be reached and are initialized.
	Check(devices []string) error
	// Initialize gives all variables of the cluster's servers their first values, as the
	// chief does before it restores.
	Initialize(devices []string) error
	// Ready reports whether the variables of all devices were initialised.
	Ready(devices []string) (bool, error)
}

// Servers holds the TensorFlow servers of a job by address. Each holds the variables of its device
// as long as its process runs. Processes that share one Servers value reach each other's variables
// through sessions ([Servers.Connect]).
type Servers struct {
	// RoundTrip is how long a Run takes if it asks another process.
	RoundTrip time.Duration
	// Reach, if not nil, returns what the network currently does with messages from a host to an
	// address.
	Reach func(host, addr string) Way
	// WaitForReady makes a call wait until its server can be reached, as gRPC does unless
	// GRPC_FAIL_FAST is true. Otherwise such a call fails at once with an UnavailableError.
	WaitForReady bool
	// CallLimit is how long calls last that have no limit of their own and are no steps. 0 means
	// that they have no limit.
	CallLimit time.Duration
	// Watcher, if not nil, is told when processes assign or initialise variables.
	Watcher Watcher

	byAddr map[string]*server
	// changes counts events after which another set of servers may be reachable: starts, stops, and
	// calls of Changed.
	changes int
	coasts  []*coast
	// latest is the latest session of each process.
	latest map[*env.Env]*Remote
	// steps counts all training steps of the job. Each reaches every PS of its cluster.
	steps int64
	// unheard holds the connections whose server's end has given up sending an answer (held.go).
	unheard map[connection]bool
	// broken holds the connections that a server has refused. networks counts calls of Changed.
	broken   map[connection]broken
	networks int
	// stale holds the servers that still know of a connection to a process that the process's end
	// has given up.
	stale map[connection]*server
}

// Way is what the network does with messages from a host to an address.
type Way int

// What a network does with messages. With Lost, nothing arrives over an existing connection. A call
// then waits, with or without WaitForReady, until one of its retransmissions arrives. With Refused,
// who sends is reset, and a call whose answer is sent meanwhile waits (TRN-8.15). A process
// that is Stopped finds all messages when it continues, so a call to it only waits.
const (
	Open Way = iota
	Lost
	Refused
	Stopped
)

// Watcher is told when a process, given by its host, assigns or initializes variables. Its methods
// must not block.
type Watcher interface {
	// Assigned reports an assignment; a negative index means the whole variable.
	Assigned(host string, v *Variable, index int, value any)
	// Initialized reports that all variables got their first values.
	Initialized(host string)
	// Stepped reports that a process has just made n training steps, which lasted for took. value
	// is the counter after these steps.
	Stepped(host string, n, value int64, took time.Duration)
}

// server is the TensorFlow server of one process.
type server struct {
	memory Memory
	ready  bool // whether its variables have been initialized
	// touched is the value of Servers.steps up to which [Servers.Touched] has counted.
	touched int64
}

// NewServers makes a job without any server running.
func NewServers(roundTrip time.Duration) *Servers {
	return &Servers{
		RoundTrip: roundTrip, byAddr: map[string]*server{}, latest: map[*env.Env]*Remote{},
		unheard: map[connection]bool{}, broken: map[connection]broken{}, stale: map[connection]*server{},
	}
}

// Handle returns next unchanged, because processes that share a memory send no calls about
// variables.
func (s *Servers) Handle(next env.Handler) env.Handler { return next }

// Start begins the server of a process, with variables that are not initialised.
func (s *Servers) Start(addr string) {
	s.disturbs()
	s.byAddr[addr] = &server{touched: s.steps}
	s.changes++
}

// Stop ends the server at addr and drops its variables.
func (s *Servers) Stop(addr string) {
	s.disturbs()
	delete(s.byAddr, addr)
	s.changes++
}

// Changed must be called whenever Reach begins to give other results.
func (s *Servers) Changed() {
	s.disturbs()
	s.changes++
	s.networks++
}

// Local returns the variables of the server at addr, for use by the process that runs the server.
// It returns nil if no server runs there.
func (s *Servers) Local(addr string) *Memory {
	if found := s.byAddr[addr]; found != nil {
		return &found.memory
	}
	return nil
}

// Initialized reports whether a server runs at addr and its variables have been initialized. Before
// that, a session that reads them gets a FailedPreconditionError.
func (s *Servers) Initialized(addr string) bool {
	found := s.byAddr[addr]
	return found != nil && found.ready
}

// Touched returns how many training steps have reached the server at addr since the last call. It
// returns 0 if no server runs there or if the server's variables are not initialised. The variables
// of a PS that the job did not choose are not initialised.
func (s *Servers) Touched(addr string) (n int64) {
	s.Settle()
	found := s.byAddr[addr]
	if found == nil {
		return 0
	}
	if found.ready {
		n = s.steps - found.touched
	}
	found.touched = s.steps
	return n
}

// Connect makes a session over the servers of a cluster. addrs maps devices to addresses. A
// variable without a device, or on a device that addrs lacks, is on the first device of main.
func (s *Servers) Connect(e *env.Env, addrs map[string]string, main string) Link {
	r := &Remote{servers: s, e: e, devices: devices{addrs, main}, known: map[string]*server{}, checked: -1}
	if before := s.latest[e]; before != nil {
		r.connected = maps.Clone(before.known)
		maps.Copy(r.connected, before.connected)
	}
	s.latest[e] = r
	return r
}

// Remote is a session over servers in one memory. Its errors are those of TensorFlow's workers: an
// UnavailableError if a server cannot be reached, an AbortedError if it was restarted, and a
// FailedPreconditionError before its variables are initialized.
type Remote struct {
	servers *Servers
	e       *env.Env
	devices
	known map[string]*server
	// connected holds the servers to which earlier sessions of the process connected. A process
	// keeps such connections.
	connected map[string]*server
	// checked is the value that Servers.changes had when all servers were last found reachable.
	checked int
	// reached caches which server each device has. The cache is valid while Servers.changes equals
	// reachedAt.
	reached   []reached
	reachedAt int

	// passed says which part of the current step a coast has made. found holds the values that the
	// step's reads found.
	passed passed
	found  []any
	loop   *loop // nil before the first coast
	// unclean lists the devices of calls that have failed ([Remote.Close]).
	unclean []string
	// onWait is called when a call begins to wait for the server of a device ([Remote.OnWait]).
	onWait func(device string, lost bool) (end func())
}

// OnWait sets begin, which is called whenever a call begins to wait for the server of a device. The
// function that begin returns is called when the wait is over. lost means that the answer was given
// up and will never come.
func (r *Remote) OnWait(begin func(device string, lost bool) (end func())) { r.onWait = begin }

// call describes a call in progress. Tasks of a process can make several calls at a time over one
// session.
type call struct {
	// stepping is set for a training step. feeding is set for a call for which the servers ask the
	// process for tensors, as a step.
	stepping, feeding bool
	// flying is set for a call that had reached its servers before they failed.
	flying bool
	// sent is set for a call whose requests had arrived before the current fault began, and began is
	// when they were sent. dark lists the addresses that could not be reached when the call was sent.
	sent  bool
	began time.Duration
	dark  []string
}

// awaitAll waits until the servers of all operations can be reached at the same instant.
func (r *Remote) awaitAll(c *call, ops ...Op) error {
	for i := 0; (r.servers.WaitForReady || r.servers.Reach != nil) && i < len(ops); i++ {
		v := ops[i].Variable
		if err := r.speaks(c, r.addr(v)); err != nil {
			return err
		}
		if _, err := r.serverOf(v); err == nil {
			continue
		}
		if _, err := r.await(c, v.Device, r.addr(v)); err != nil {
			return err
		}
		i = -1
	}
	return nil
}

// flies reports whether the servers of these operations can be reached, so that a call with them is
// on its way. Such a call fails if a server goes away, whereas a call that begins later waits for
// the server.
func (r *Remote) flies(ops ...Op) bool {
	return r.servers.WaitForReady && !slices.ContainsFunc(ops, func(op Op) bool {
		_, err := r.serverOf(op.Variable)
		return err != nil
	})
}

// Create connects a session to all devices. If calls wait for servers, it checks every 10 s which
// servers can be reached, as in the reference's patch of TensorFlow's master.cc. After limit it
// returns a DeadlineExceededError. A limit of 0 means no limit.
func (r *Remote) Create(devices []string, limit time.Duration) error {
	for begin := r.e.Clock.Elapsed(); ; {
		var unseen []string
		for _, d := range devices {
			if _, err := r.reach(r.addrs[d]); err != nil && r.waits(&call{}, err) {
				unseen = append(unseen, " "+d)
			} else if err != nil {
				return err
			}
		}
		if len(unseen) == 0 {
			return nil
		}
		if limit > 0 && r.e.Clock.Elapsed()-begin >= limit {
			return Raise("DeadlineExceededError", "Unable to get responses from workers: %s", strings.Join(unseen, ""))
		}
		r.pause(strings.TrimSpace(unseen[0]), createPoll)
	}
}

const (
	// createPoll is how often Create looks which servers can be reached (master.cc).
	createPoll = 10 * time.Second
	// connectPoll is the pause between two attempts of a waiting call to connect to its server.
	connectPoll = time.Second
)

// errHeld is returned by reach if nothing arrives at the server over an existing connection, and
// errStopped if the server's process is stopped.
var (
	errHeld    = errors.New("nothing arrives")
	errStopped = errors.New("it is stopped")
)

// waits reports whether a call that got err has to wait for its server, instead of failing.
func (r *Remote) waits(c *call, err error) bool {
	return errors.Is(err, errHeld) || errors.Is(err, errStopped) || r.servers.WaitForReady && !c.flying && pysem.TypeOf(err) == "UnavailableError"
}

// pause sleeps for d, and reports to onWait that a call waits for the server of a device.
func (r *Remote) pause(device string, d time.Duration) {
	if r.onWait != nil {
		defer r.onWait(device, false)()
	}
	r.e.Tasks.Sleep(d)
}

// reached is the server of a device, as it was found last.
type reached struct {
	device string
	server *server
}

// serverOf returns the server that holds a variable. It remembers the server as long as no server
// starts, stops or changes its reachability.
func (r *Remote) serverOf(v *Variable) (*server, error) {
	if r.reachedAt != r.servers.changes {
		r.reached, r.reachedAt = r.reached[:0], r.servers.changes
	}
	for i := range r.reached {
		if r.reached[i].device == v.Device {
			return r.reached[i].server, nil
		}
	}
	found, err := r.reach(r.addr(v))
	if err == nil {
		r.reached = append(r.reached, reached{v.Device, found})
	}
	return found, err
}

// reach returns the server at addr. It fails unless the server runs and was not restarted since
// this session first saw it.
func (r *Remote) reach(addr string) (*server, error) {
	found := r.servers.byAddr[addr]
	way := r.way(addr)
	if found != nil && way == Lost && (r.known[addr] != nil || r.connected[addr] != nil) {
		return nil, errHeld
	}
	if found != nil && way == Stopped {
		return nil, errStopped
	}
	if found == nil || way != Open {
		return nil, Raise("UnavailableError", "failed to connect to all addresses: %s", addr)
	}
	if last := r.known[addr]; last != nil && last != found {
		return nil, Raise("AbortedError", "Session handle is not found: %s was started again", addr)
	}
	r.known[addr] = found
	return found, nil
}

// Run waits for the round trip to the servers. Then it does all operations at one instant.
func (r *Remote) Run(ops ...Op) ([]any, error) {
	values, err := r.run(ops)
	for i := 0; err != nil && i < len(ops); i++ {
		r.failed(ops[i].Variable.Device)
	}
	return values, err
}

func (r *Remote) run(ops []Op) ([]any, error) {
	c := &call{began: r.e.Clock.Elapsed()}
	switch {
	case r.passed == passedStep:
		return r.found, nil
	case r.passed == passedAsk:
		r.passed = passedNothing
		c.flying, c.sent, c.began = r.servers.WaitForReady, true, c.began-r.servers.RoundTrip
	case r.servers.RoundTrip > 0:
		c.flying, c.sent = r.flies(ops...), true
		for i := range ops {
			c.dark = r.dark(c.dark, r.addr(ops[i].Variable))
		}
		r.e.Tasks.Sleep(r.servers.RoundTrip)
	}
	return r.runNow(c, ops)
}

// runNow does the operations of Run without waiting for the round trip.
func (r *Remote) runNow(c *call, ops []Op) ([]any, error) {
	if err := r.awaitAll(c, ops...); err != nil {
		return nil, err
	}
	for i := range ops {
		if _, err := r.readyServerOf(ops[i].Variable); err != nil {
			return nil, err
		}
	}
	if len(ops) == 0 {
		return nil, nil
	}
	values := make([]any, len(ops))
	for i := range ops {
		found, err := r.serverOf(ops[i].Variable)
		if err != nil {
			return nil, err
		}
		v, err := found.memory.run(ops[i])
		if err != nil {
			return nil, err
		}
		values[i] = v
		if w := r.servers.Watcher; w != nil && ops[i].Assign != nil {
			w.Assigned(r.e.Host.Hostname(), ops[i].Variable, ops[i].Index, ops[i].Assign)
		}
	}
	return values, nil
}

// Assign does operations at once, without the round trip of Run, because they are a part of a
// request that has just been answered.
func (r *Remote) Assign(ops ...Op) error {
	_, err := r.runNow(&call{}, ops)
	return err
}

// Step makes a training step, but for its reads ([Link.Step]).
func (r *Remote) Step(devices []string, d time.Duration, counter *Variable) (int64, error) {
	sum, err := r.step(devices, d, counter)
	if err != nil {
		r.failed(append(slices.Clip(devices), counter.Device)...)
	}
	return sum, err
}

func (r *Remote) step(devices []string, d time.Duration, counter *Variable) (int64, error) {
	c := &call{stepping: true, feeding: true, sent: true, began: r.e.Clock.Elapsed(), flying: r.servers.WaitForReady}
	if r.passed == passedStep {
		r.passed, r.found = passedNothing, nil
		c.began -= d
	} else {
		if r.checked != r.servers.changes {
			c.flying = r.flies(Op{Variable: counter})
			for _, device := range devices {
				c.dark = r.dark(c.dark, r.addrs[device])
			}
		}
		r.e.Tasks.Sleep(d)
	}
	if err := r.check(c, devices); err != nil {
		return 0, err
	}
	if err := r.awaitAll(c, Op{Variable: counter}); err != nil {
		return 0, err
	}
	found, err := r.readyServerOf(counter)
	if err != nil {
		return 0, err
	}
	sum, err := found.memory.add(counter, 1)
	if err == nil {
		r.stepped(1, sum, d)
	}
	return sum, err
}

// stepped tells the watcher, if there is one, that steps were made.
func (r *Remote) stepped(n, value int64, took time.Duration) {
	r.servers.steps += n
	if w := r.servers.Watcher; w != nil {
		w.Stepped(r.e.Host.Hostname(), n, value, took)
	}
}

// readyServerOf returns the server of a variable. It fails while the server is not initialized,
// unless the variable belongs to the server's process (processVariable).
func (r *Remote) readyServerOf(v *Variable) (*server, error) {
	found, err := r.serverOf(v)
	if err == nil && !found.ready && !processVariable(v.Name) {
		err = uninitialized(v)
	}
	return found, err
}

// Check returns an error unless the servers of all devices can be reached and are initialized.
// While nothing has changed since the last success, it does not check again.
func (r *Remote) Check(devices []string) error { return r.check(&call{}, devices) }

func (r *Remote) check(c *call, devices []string) error {
	if r.checked == r.servers.changes {
		return nil
	}
	ready, err := r.ready(c, devices)
	switch {
	case err != nil:
		return err
	case !ready:
		return errUninitialized()
	}
	r.checked = r.servers.changes
	return nil
}

// Initialize gives all variables of the cluster's servers their first values. The chief does so
// before it restores a checkpoint.
func (r *Remote) Initialize(devices []string) error {
	if err := r.each(&call{feeding: true}, devices, func(*server) error { return nil }); err != nil {
		return err
	}
	if w := r.servers.Watcher; w != nil {
		w.Initialized(r.e.Host.Hostname())
	}
	return r.each(&call{}, devices, func(s *server) error {
		s.memory.keep(processVariable)
		s.ready = true
		return nil
	})
}

// Ready reports whether the variables of all devices were initialised.
func (r *Remote) Ready(devices []string) (bool, error) { return r.ready(&call{}, devices) }

func (r *Remote) ready(c *call, devices []string) (bool, error) {
	ready := true
	err := r.each(c, devices, func(s *server) error {
		ready = ready && s.ready
		return nil
	})
	return ready, err
}

func (r *Remote) each(c *call, devices []string, fn func(*server) error) error {
	for _, d := range devices {
		if err := r.speaks(c, r.addrs[d]); err != nil {
			return err
		}
		found, err := r.await(c, d, r.addrs[d])
		if err == nil && c.feeding {
			err = r.feeds(r.addrs[d])
		}
		if err != nil {
			return err
		}
		if err := fn(found); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ Cluster = (*Servers)(nil)
	_ Link    = (*Remote)(nil)
)

// processVariable reports whether a variable belongs to its server's process, so that initializing
// keeps its value. Such variables are a PS's report of its memory, the queue that ends the PS, and
// the mark that shows a restart.
func processVariable(name string) bool {
	kinds := []string{"ps_machine_info_", "ps_queue_", "ps_monitor_"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(name, kind) })
}
