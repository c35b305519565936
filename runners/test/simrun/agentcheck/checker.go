package agentcheck

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/runners"
)

// The ids of the invariants. The invariants of the first group hold at any time.
const (
	Ghost = "ghost" // a registration outlives its server
	Owner = "owner" // a registration is made by another pod
	Order = "order" // an entry server starts before the PS and dense servers that it calls
	Locks = "locks" // an agent locks a version that is not complete, or of another model
	// Address is broken where a replica is registered with an address that has no port.
	Address = "address"
	Late    = "late"  // an agent does not follow what is registered
	Early   = "early" // a pod is registered for what its server has not served yet
	Gap     = "gap"   // a server gives a version up before it serves the next

	Runs    = "runs"    // every pod runs
	Servers = "servers" // every model server of a pod runs
	Serves  = "serves"  // model servers serve all that is published
	Unloads = "unloads" // model servers serve nothing that is not published
	Copies  = "copies"  // agents copy nothing that is not published
	Info    = "info"    // every pod has service info
	Bound   = "bound"   // every pod is bound, or registered, for exactly what it serves
	Answers = "answers" // every agent answers
	Listed  = "listed"  // every agent lists exactly what is served

	Flaps = "flaps" // a znode is written again and again
	Noise = "noise" // an error is logged again and again
)

// View is what the checker can observe of a cluster.
type View interface {
	runners.Observer
	// Agents lists the running agents of a pod.
	Agents(pod string) []agent.Agent
	// StoredNames lists the names in a directory of a store. A missing directory has none.
	StoredNames(path string) ([]string, error)
	// PodNames lists the names in a directory of a pod. A missing directory has none.
	PodNames(pod, path string) ([]string, error)
	// Reloading reports whether the model server of a v3 pod still waits for the models of its
	// configuration, at its start or in a reload.
	Reloading(pod string) bool
	// Losing reports whether a fault will still lose answers of ZooKeeper. The fault ends with the
	// last lost answer, and that end is not reported otherwise.
	Losing() bool
	// Changes returns a number that increases when the cluster changes. While it stays the same,
	// the other methods return the same results, except those that call agents.
	Changes() uint64
}

// Checker checks the invariants of the agents of one cluster while it runs.
type Checker struct {
	view   View
	now    time.Duration
	broken []runners.Broken
	told   map[string]bool // keys that breaks has reported
	// calm is when the latest disturbance ended. It has no meaning while a disturbance goes on.
	calm   time.Duration
	goesOn map[string]int

	registered registrations
	late       late
	loads      loads
	order      order
	quiets     []*quiet
	places     map[agent.Agent]*place
	// rough is the rough sort model of the agents, nil without one. It is known once met is set.
	rough *rough
	met   bool
	// locked maps the names at the transfer service to when each was first seen.
	locked map[string]time.Duration
	// shut holds the pods whose model server has started but not opened its port yet. The value is
	// true if the server was meanwhile asked for a model without any version, so that it will never
	// open the port (TFS-9.2).
	shut map[string]bool
	// unreadable has the paths of deploy configs that cannot be read. While there is one, no agent
	// can follow its layout.
	unreadable map[string]bool
	// reloads maps each pod whose model server is in a reload to the time at which the reload was
	// first seen.
	reloads map[string]time.Duration
	// writes is the longest time that agents took to write a file under the fault
	// agent.torn-writes.
	writes time.Duration
	// looked is the state at the latest call of Look. judged is the state that found describes.
	// Whole computes found from what can be seen without asking an agent.
	looked, judged mark
	found          *whole
}

// mark is a state of the cluster, identified by the number that the view's Changes returned. The
// zero value stands for no state.
type mark struct {
	at  uint64
	set bool
}

// New makes the checker of a cluster.
func New(view View) *Checker {
	return &Checker{
		view: view, told: map[string]bool{}, goesOn: map[string]int{}, places: map[agent.Agent]*place{}, shut: map[string]bool{}, unreadable: map[string]bool{}, reloads: map[string]time.Duration{},
		registered: registrations{nodes: map[string]*node{}}, loads: loads{served: map[string]bool{}, awaited: map[string]bool{}}, late: late{written: map[string]time.Duration{}, infos: map[string]string{}, containers: map[string]string{}, touched: map[string]time.Duration{}}, order: order{served: map[string]bool{}},
	}
}

// Broken lists the invariants broken so far, in the order in which the checker noticed them.
func (c *Checker) Broken() []runners.Broken { return c.broken }

// breaks records that an invariant is broken. It records each key only once.
func (c *Checker) breaks(invariant, key, format string, args ...any) {
	if key = invariant + " " + key; c.told[key] {
		return
	}
	c.told[key] = true
	c.broken = append(c.broken, c.failure(invariant, format, args...))
}

// failure describes an invariant that is broken now.
func (c *Checker) failure(invariant, format string, args ...any) runners.Broken {
	return runners.Broken{Invariant: invariant, At: c.now, Text: fmt.Sprintf(format, args...)}
}

// Observe receives every observation of the run, at the moment it is made.
func (c *Checker) Observe(o runners.Observation) {
	c.now = max(c.now, o.At)
	switch {
	case strings.HasPrefix(o.Op, "zookeeper."):
		if o.Note == "" || o.Note == "ephemeral" || o.Note == "with its session" { // other notes mean that the write failed
			c.wrote(o)
		}
	case strings.HasPrefix(o.Op, "modelserver."):
		c.served(o)
	case o.Op == "process.start" && o.Path == runners.AgentProcess:
		c.started(o.Pod)
	case o.Op == "process.start" && o.Path == runners.ModelServerProcess:
		c.shut[o.Pod] = false
		c.lookAtShut(o.Pod)
	case o.Op == "log.error" || o.Op == "log.critical":
		for _, q := range c.quiets {
			q.logged(o)
		}
	}
}

// Disturbed records a disturbance from outside of the cluster, its network or its ZooKeeper.
// A lasting disturbance goes on until Disturbed is called for it again, with over set.
func (c *Checker) Disturbed(at time.Duration, what string, lasting, over bool) {
	c.now = max(c.now, at)
	c.touches(what)
	switch {
	case over:
		if c.goesOn[what]--; c.goesOn[what] <= 0 {
			delete(c.goesOn, what)
		}
		calm := c.now
		if strings.HasPrefix(what, "agent.torn-writes") {
			calm += c.writes // a write that has begun may still take the longer time
		}
		c.calm = max(c.calm, calm)
	case lasting:
		c.goesOn[what]++
	}
}

// WritesTake records that an agent takes d to write a file from now on.
func (c *Checker) WritesTake(d time.Duration) { c.writes = max(c.writes, d) }

// Look checks the invariants that have a time limit. If nothing has changed since the previous
// call, it only checks whether time limits have passed.
func (c *Checker) Look(now time.Duration) error {
	c.now = max(c.now, now)
	if c.view.Losing() {
		c.calm = max(c.calm, c.now)
	}
	c.lookAtReloads()
	at := mark{c.view.Changes(), true}
	if c.looked == at {
		c.timeGhosts()
		c.timeLocks()
		if c.late.behind {
			return c.lookForLate()
		}
		return nil
	}
	for pod := range c.shut {
		c.lookAtShut(pod)
	}
	if err := c.lookForGhosts(); err != nil {
		return err
	}
	c.timeGhosts()
	c.looked = at
	if err := c.lookForLate(); err != nil {
		return err
	}
	c.timeLocks()
	return c.lookForLocks()
}
