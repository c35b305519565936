package traincheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/runners"
)

// converges is how long the discovered addresses may differ from the running processes. A
// ZooKeeper session has to end, and then the next registration has to come, half an hour
// later (INV-5).
const converges = 10*time.Second + 30*time.Minute + time.Minute

// discovery mirrors the znodes by which processes register, from the writes to them.
type discovery struct {
	c     *Checker
	names map[string]string // name of the registered process, by the path of its znode
	nodes map[string]*znode // registered znode, by the name of the process
	// calm is when the latest disturbance ended. It has no meaning while a disturbance goes on.
	calm   time.Duration
	goesOn map[string]int
	forgot bool // whether Consul forgot what was registered
	// apart is when the last message between separated processes arrives. parted maps each
	// ongoing fault that separates processes to its start.
	apart  time.Duration
	parted map[string]time.Duration
}

type znode struct {
	there bool
	since time.Duration
}

func (d *discovery) init(c *Checker) {
	*d = discovery{c: c, names: map[string]string{}, nodes: map[string]*znode{}, goesOn: map[string]int{}, parted: map[string]time.Duration{}}
	for _, name := range c.names {
		d.names[c.node(name)] = name
		d.nodes[name] = &znode{}
	}
}

// wrote updates the mirrored znodes after a successful write to ZooKeeper.
func (d *discovery) wrote(o runners.Observation) {
	name, ok := d.names[o.Path]
	if !ok || o.Note != "" && o.Note != "ephemeral" && o.Note != "with its session" {
		return
	}
	switch n := d.nodes[name]; {
	case o.Op == "zookeeper.delete" && n.there:
		*n = znode{since: o.At}
	case o.Op == "zookeeper.create" && !n.there:
		*n = znode{there: true, since: o.At}
	}
}

func (d *discovery) disturbed(what string, lasting, over bool) {
	d.calm = d.c.now
	d.forgot = d.forgot || strings.HasPrefix(what, "consul.forgets")
	if slices.ContainsFunc(partings, func(kind string) bool { return strings.HasPrefix(what, kind) }) {
		began, on := d.parted[what]
		switch d.apart = max(d.apart, d.c.now); {
		case !over && !on:
			d.parted[what] = d.c.now
		case over && on: // TCP has sent a lost packet again by the time that it is twice as old
			d.apart = max(d.apart, 2*d.c.now-began+time.Second)
			if d.goesOn[what] <= 1 {
				delete(d.parted, what)
			}
		}
	}
	switch {
	case over && d.goesOn[what] > 0:
		if d.goesOn[what]--; d.goesOn[what] == 0 {
			delete(d.goesOn, what)
		}
	case lasting && !over:
		d.goesOn[what]++
	}
}

// partings lists the prefixes of the names of faults that keep other processes from reaching a
// process.
var partings = []string{"trainer.unreachable", "trainer.refused", "trainer.stopped"}

// knownOfCalls returns the rule by which calls between processes may fail or wait, if some
// processes could not reach each other at any time after since. Otherwise it returns "".
func (d *discovery) knownOfCalls(since time.Duration) string {
	if d.apart > since || len(d.parted) > 0 {
		return callsOfGone
	}
	return ""
}

// callsOfGone is the id of the rule about calls to a server that is gone or unreachable.
const callsOfGone = "TRN-8.12"

// callsOfCut is the id of the rule about calls whose answers a network loses for longer than the
// sender retransmits them.
const callsOfCut = "TRN-8.15"

// faults returns the names of the ongoing disturbances.
func (d *discovery) faults() string {
	return strings.Join(slices.Sorted(maps.Keys(d.goesOn)), ", ")
}

// consulConverges is how long Consul's look-ups may differ from the running processes. The
// registration of an earlier life expires with its TTL, and a process waits 180 s for its
// own to appear.
const consulConverges = 60*time.Second + 180*time.Second + 30*time.Second

// lookAtConsul checks that Consul's look-ups return the address of every process that
// serves, and of no other.
func (d *discovery) lookAtConsul() {
	if d.c.Registered == nil {
		return
	}
	for _, name := range d.c.names {
		p := d.c.procs[name]
		role, _ := cluster.TrainerRole(name)
		addr, ok := d.c.Registered(name)
		switch from := max(p.served, p.ended, d.calm); {
		case role == cluster.EvaluatorRole || d.c.now <= from+consulConverges:
		case p.running && p.serving && (!ok || addr != p.addr):
			d.c.breaks("INV-5", fmt.Sprintf("missing %s %d", name, p.life), d.knownOfConsul(name),
				"%s runs at %s and look-ups give %s, since %v at the latest, want its address within %v", name, p.addr, cmp.Or(addr, "nothing"), d.c.now-consulConverges, consulConverges)
		case !p.running && p.life > 0 && ok:
			d.c.breaks("INV-5", fmt.Sprintf("dead %s %d", name, p.life), "", "%s ended at %v and look-ups give %s, want nothing within %v", name, p.ended, addr, consulConverges)
		}
	}
}

// has reports whether every look-up since the given time has surely found a process.
func (d *discovery) has(name string, since time.Duration) bool {
	switch {
	case d.c.spec.IsPlaced():
		return true
	case d.c.spec.Discovery != cluster.DiscoveryConsul:
		n := d.nodes[name]
		return n.there && n.since <= since
	case d.c.Registered == nil || since <= max(d.c.procs[name].served, d.calm)+consulConverges:
		return false
	}
	_, ok := d.c.Registered(name)
	return ok
}

// knownOfConsul returns the quirk that explains why a process is missing in look-ups, "" if
// there is none.
func (d *discovery) knownOfConsul(name string) string {
	switch {
	case slices.Contains(d.c.life.ended, name) && d.c.quirks.Keeps(jobquirks.Q300):
		return jobquirks.Q300.String()
	case d.forgot && d.c.quirks.Keeps(jobquirks.Q303):
		return jobquirks.Q303.String()
	}
	return ""
}

// lookAtPlaces checks that each process serves at the address that the environment variables
// give.
func (d *discovery) lookAtPlaces() {
	if d.c.Placed == nil {
		return
	}
	for _, name := range d.c.names {
		p := d.c.procs[name]
		if want := d.c.Placed(name); p.running && p.serving && want != "" && p.addr != want {
			d.c.breaks("INV-5", fmt.Sprintf("place %s %d", name, p.life), "", "%s serves at %s, want %s, where the environment of all processes has it", name, p.addr, want)
		}
	}
}

func (d *discovery) look() {
	switch {
	case d.c.spec.IsPlaced():
		d.lookAtPlaces()
		return
	case len(d.goesOn) > 0:
		return
	case d.c.spec.Discovery == cluster.DiscoveryConsul:
		d.lookAtConsul()
		return
	}
	for _, name := range d.c.names {
		p, n := d.c.procs[name], d.nodes[name]
		switch {
		case p.running && p.serving && !n.there:
			if since := max(p.served, n.since, d.calm); d.c.now > since+converges {
				d.c.breaks("INV-5", fmt.Sprintf("missing %s %v", name, since), "", "%s runs and is not in discovery since %v, want it there within %v", name, since, converges)
			}
		case !p.running && p.life > 0 && n.there:
			if since := max(p.ended, n.since, d.calm); d.c.now > since+converges {
				d.c.breaks("INV-5", fmt.Sprintf("dead %s %v", name, since), "", "%s ended at %v and is in discovery, want it gone within %v", name, p.ended, converges)
			}
		}
	}
}
