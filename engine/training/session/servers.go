package session

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Cluster is how the processes of a job reach each other's variables: [Servers] where they
// share one memory, [Wire] where each is a program of its own.
type Cluster interface {
	// Handle answers what others ask of this process's variables, and leaves all other
	// calls to next. It goes before the handler of the process's server.
	Handle(next env.Handler) env.Handler
	// Start begins the server of a process, whose variables are not initialised, and Stop
	// ends it, with its variables.
	Start(addr string)
	Stop(addr string)
	// Local are the variables of a server as its own process sees them, nil where none runs.
	Local(addr string) *Memory
	// Connect makes a session of a process over the servers of a cluster. addrs has the
	// address of each device; variables without a device, or of a device that is not there,
	// live on the first one of main.
	Connect(e *env.Env, addrs map[string]string, main string) Link
}

// Link is a session over the servers of a cluster. Its errors are those of TensorFlow's
// workers: UnavailableError where a server is not reached, AbortedError where its process is
// another one than before, FailedPreconditionError before its variables are initialised.
type Link interface {
	Session
	// Step is the rest of a training step: it takes a time, reaches the servers of all
	// devices, adds 1 to counter and answers the sum.
	Step(devices []string, d time.Duration, counter *Variable) (int64, error)
	// Coast makes steps for as long as each is as the last one was, which was made by Run and
	// Step; the next Run and Step go on in the middle of the first that is not. It may make
	// none.
	Coast(s Steps)
	// Check wants that the servers of all devices are reached, and initialised.
	Check(devices []string) error
	// Initialize gives all variables of the cluster's servers their first values, as the
	// chief does before it restores.
	Initialize(devices []string) error
	// Ready reports whether the variables of all devices were initialised.
	Ready(devices []string) (bool, error)
}

// Servers are the TensorFlow servers of a job by their addresses: each has the variables
// that live on its device, for as long as its process runs. Processes of the job that share
// a Servers value reach each other's variables through sessions ([Servers.Connect]).
type Servers struct {
	// RoundTrip is what a Run takes that asks another process.
	RoundTrip time.Duration
	// Reach, where it is set, is asked whether a host reaches an address now.
	Reach func(host, addr string) bool
	// Watcher, where it is set, is told of what processes do to variables.
	Watcher Watcher

	byAddr map[string]*server
	// changes counts what may have changed what is reached.
	changes int
	coasts  []*coast
}

// Watcher is told of what processes do to variables, by their hosts' names. It must not wait.
type Watcher interface {
	// Assigned is an assignment; index is negative for all of the variable.
	Assigned(host string, v *Variable, index int, value any)
	// Initialized is that all variables got their first values.
	Initialized(host string)
}

// server is one process's.
type server struct {
	memory Memory
	ready  bool // its variables were initialised
}

// NewServers makes a job of which nothing runs.
func NewServers(roundTrip time.Duration) *Servers {
	return &Servers{RoundTrip: roundTrip, byAddr: map[string]*server{}}
}

// Handle leaves all calls to next: nobody has to call.
func (s *Servers) Handle(next env.Handler) env.Handler { return next }

// Start begins the server of a process, whose variables are not initialised.
func (s *Servers) Start(addr string) {
	s.disturbs()
	s.byAddr[addr] = &server{}
	s.changes++
}

// Stop ends it, with its variables.
func (s *Servers) Stop(addr string) {
	s.disturbs()
	delete(s.byAddr, addr)
	s.changes++
}

// Changed is to be called when Reach may answer otherwise than before.
func (s *Servers) Changed() {
	s.disturbs()
	s.changes++
}

// Local returns the variables of a server as its own process sees them, nil where none runs.
func (s *Servers) Local(addr string) *Memory {
	if found := s.byAddr[addr]; found != nil {
		return &found.memory
	}
	return nil
}

// Connect makes a session of a process over the servers of a cluster. addrs has the address
// of each device; variables without a device, or of a device that is not there, live on
// the first one of main.
func (s *Servers) Connect(e *env.Env, addrs map[string]string, main string) Link {
	return &Remote{servers: s, e: e, devices: devices{addrs, main}, known: map[string]*server{}, checked: -1}
}

// Remote is a session over the servers of a cluster. Its errors are those of TensorFlow's
// workers: UnavailableError where a server is not reached, AbortedError where its process is
// another one than before, FailedPreconditionError before its variables are initialised.
type Remote struct {
	servers *Servers
	e       *env.Env
	devices
	known map[string]*server
	// checked is the count of changes up to which all servers were reached.
	checked int
	// reached holds the servers of devices that were reached, up to the count of changes
	// reachedAt.
	reached   []reached
	reachedAt int

	// passed says what of the present step was made already, and found what its reads found.
	passed passed
	found  []any
	loop   *loop // of steps, nil before the first
}

// reached is a server that was reached as a device.
type reached struct {
	device string
	server *server
}

// serverOf finds the server of a variable. As long as nothing changes it is the one of before.
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

// reach finds a server that runs, and is the one of before.
func (r *Remote) reach(addr string) (*server, error) {
	found := r.servers.byAddr[addr]
	if found == nil || r.servers.Reach != nil && !r.servers.Reach(r.e.Host.Hostname(), addr) {
		return nil, Raise("UnavailableError", "failed to connect to all addresses: %s", addr)
	}
	if last := r.known[addr]; last != nil && last != found {
		return nil, Raise("AbortedError", "Session handle is not found: %s was started again", addr)
	}
	r.known[addr] = found
	return found, nil
}

// Run does the operations, at one instant, after the time that asking takes.
func (r *Remote) Run(ops ...Op) ([]any, error) {
	switch {
	case r.passed == passedStep:
		return r.found, nil
	case r.passed == passedAsk:
		r.passed = passedNothing
	case r.servers.RoundTrip > 0:
		r.e.Tasks.Sleep(r.servers.RoundTrip)
	}
	return r.runNow(ops)
}

// runNow returns Run whose time has passed already.
func (r *Remote) runNow(ops []Op) ([]any, error) {
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

// Step returns the rest of a training step.
func (r *Remote) Step(devices []string, d time.Duration, counter *Variable) (int64, error) {
	if r.passed == passedStep {
		r.passed, r.found = passedNothing, nil
	} else {
		r.e.Tasks.Sleep(d)
	}
	if err := r.Check(devices); err != nil {
		return 0, err
	}
	found, err := r.readyServerOf(counter)
	if err != nil {
		return 0, err
	}
	return found.memory.add(counter, 1)
}

// readyServerOf finds the server of a variable, which is to be initialised unless the variable
// is a resource of the process.
func (r *Remote) readyServerOf(v *Variable) (*server, error) {
	found, err := r.serverOf(v)
	if err == nil && !found.ready && !processVariable(v.Name) {
		err = uninitialized(v)
	}
	return found, err
}

// Check wants that the servers of all devices are reached, and initialised. It looks at none
// while nothing has changed.
func (r *Remote) Check(devices []string) error {
	if r.checked == r.servers.changes {
		return nil
	}
	ready, err := r.Ready(devices)
	switch {
	case err != nil:
		return err
	case !ready:
		return errUninitialized()
	}
	r.checked = r.servers.changes
	return nil
}

// Initialize gives all variables of the cluster's servers their first values, as the chief
// does before it restores.
func (r *Remote) Initialize(devices []string) error {
	if err := r.each(devices, func(*server) error { return nil }); err != nil {
		return err
	}
	if w := r.servers.Watcher; w != nil {
		w.Initialized(r.e.Host.Hostname())
	}
	return r.each(devices, func(s *server) error {
		s.memory.keep(processVariable)
		s.ready = true
		return nil
	})
}

// Ready reports whether the variables of all devices were initialised.
func (r *Remote) Ready(devices []string) (bool, error) {
	ready := true
	err := r.each(devices, func(s *server) error {
		ready = ready && s.ready
		return nil
	})
	return ready, err
}

func (r *Remote) each(devices []string, fn func(*server) error) error {
	for _, d := range devices {
		found, err := r.reach(r.addrs[d])
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

// processVariable reports whether a variable is a resource of its process, which lives as
// long as that whoever initialises the others: what a PS says of its memory, the queue that
// ends it, and the mark that it was not started since.
func processVariable(name string) bool {
	for _, kind := range []string{"ps_machine_info_", "ps_queue_", "ps_monitor_"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}
