package control

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/whatif/result"
)

// happening is an incident that a lab can go through.
type happening struct {
	help string
	// lasts is how long the incident lasts. undo, when set, is called to end it.
	lasts time.Duration
	do    func(b *bench) error
	undo  func(b *bench) error
}

// happenings maps the name of each incident to what it does.
var happenings = map[string]happening{
	"kill 1": {help: "one container dies at once and starts again after 10 s", do: func(b *bench) error { return b.kill(1) }},
	"kill 3": {help: "three containers of one shard die at once", do: func(b *bench) error { return b.kill(3) }},
	"lose idc": {help: "the containers of the last idc reach nothing for 10 minutes", lasts: 10 * time.Minute,
		do: func(b *bench) error { return b.cutOff(b.idc(), 10*time.Minute) }},
	"cut off": {help: "a tenth of the containers does not reach ZooKeeper for a minute", lasts: time.Minute,
		do: func(b *bench) error { return b.cutOff(b.names(max(len(b.Pods())/10, 1)), time.Minute) }},
	"zookeeper outage": {help: "ZooKeeper is down for 10 minutes", lasts: 10 * time.Minute,
		do: func(b *bench) error { return b.during(runners.Fault{Kind: "zookeeper.down"}, 10*time.Minute) }},
	"leader loss": {help: "ZooKeeper has no leader for 3 s", lasts: 3 * time.Second,
		do: func(b *bench) error { return b.during(runners.Fault{Kind: "zookeeper.no-leader"}, 3*time.Second) }},
	"session storm": {help: "every session expires at once", do: (*bench).expireAll},
	"bad version": {help: "a version of the entry is published that no attempt can load, and taken away after 10 minutes", lasts: 10 * time.Minute,
		do: (*bench).badVersion, undo: (*bench).noBadVersion},
	"slow zookeeper": {help: "what is sent to and from ZooKeeper takes 500 ms longer for 5 minutes", lasts: 5 * time.Minute,
		do: func(b *bench) error {
			return b.during(runners.Fault{Kind: "network.slow", From: b.names(len(b.Pods())), To: []string{"zookeeper"}, Duration: 500 * time.Millisecond}, 5*time.Minute)
		}},
}

// Incidents returns the names of all incidents, sorted.
func Incidents() []string { return slices.Sorted(maps.Keys(happenings)) }

// incident makes an incident happen, and waits until the cluster is as before or a time
// limit is over.
func (b *bench) incident(name string) error {
	h, ok := happenings[name]
	if !ok {
		return fmt.Errorf("incident: found %q, want one of %s", name, strings.Join(Incidents(), ", "))
	}
	before, began, full := b.Load().ZooKeeper, b.Now(), b.registered()
	serving := b.serving(0)
	out := result.ZKIncident{Name: name, MinServing: serving, MinListed: 1, Text: h.help}
	if err := h.do(b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	last, most, undo := before, uint64(0), h.undo
	for b.Now() < began+mostIncident && out.Recovered == nil {
		// Let one second pass at a time, because the peak is the number of requests in the busiest
		// second.
		if _, err := b.pass(time.Second, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		z := b.Load().ZooKeeper
		most, last = max(most, z.Asked.Requests-last.Asked.Requests), z
		if undo != nil && b.Now() >= began+h.lasts {
			if err := undo(b); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			undo = nil
		}
		// A client that lost ZooKeeper reconnects only when its own pause is over. Until then its
		// registrations may still expire, so the incident is not yet judged as recovered.
		if z.Connections >= before.Connections {
			b.look(&out, b.Now()-began, full, serving, h.lasts)
		} else {
			b.see(&out, b.Now()-began, full)
		}
	}
	out.Peak, out.Requests, out.Events = int64(most), int64(last.Asked.Requests-before.Asked.Requests), int64(last.Asked.Events-before.Asked.Events)
	if out.Recovered == nil {
		if err := b.again(); err != nil {
			return fmt.Errorf("after %s: %w", name, err)
		}
	}
	if _, err := b.pass(settle, nil); err != nil {
		return err
	}
	last = b.Load().ZooKeeper
	_, err := b.pass(background, nil)
	out.After = float64(b.Load().ZooKeeper.Asked.Requests-last.Asked.Requests) / background.Seconds()
	b.out.Incidents = append(b.out.Incidents, out)
	return err
}

// again unpublishes and publishes the model, as an operator does for a model that lost its
// bindings.
func (b *bench) again() error {
	if b.lab.Version != 3 {
		return nil
	}
	m := b.lab.model()
	if err := b.Unpublish("", m.Name, m.SubGraphNames()...); err != nil {
		return err
	}
	if _, err := b.pass(settle, nil); err != nil {
		return err
	}
	return b.Publish("", m.Name, m.SubGraphNames()...)
}

// effect is how long it may take until an incident shows, because the session of a dead
// container lives on until its timeout.
const effect = 30 * time.Second

// look updates the findings in out. It records the recovery once the incident is over, all
// registrations are back and every pod serves.
func (b *bench) look(out *result.ZKIncident, since time.Duration, full, serving int, lasts time.Duration) {
	now, all := b.see(out, since, full)
	if all && now >= serving && since > lasts && (since > effect || out.Noticed != nil) && b.ready() {
		ns := int64(since)
		out.Recovered = &ns
	}
}

// see updates the findings. An incident counts as noticed when registrations disappear or
// ZooKeeper goes down. see returns how many pods serve, and whether all are registered.
func (b *bench) see(out *result.ZKIncident, since time.Duration, full int) (serving int, all bool) {
	serving = b.serving(0)
	out.MinServing = min(out.MinServing, serving)
	registered := 0
	if b.Load().ZooKeeper.Up {
		registered = b.registered()
		out.MinListed = min(out.MinListed, float64(registered)/float64(full))
	}
	if out.Noticed == nil && registered < full {
		ns := int64(since)
		out.Noticed = &ns
	}
	return serving, registered >= full
}

// kill kills n containers of the first shard.
func (b *bench) kill(n int) error {
	for _, p := range b.Pods() {
		if p.Shard != 0 || n == 0 {
			continue
		}
		n--
		if err := b.BeginFault(runners.Fault{Kind: "agent.killed", Pod: p.Name}); err != nil {
			return err
		}
	}
	return nil
}

// during begins a fault that ends by itself after d.
func (b *bench) during(f runners.Fault, d time.Duration) error {
	if err := b.BeginFault(f); err != nil {
		return err
	}
	return b.EndFaultAfter(f, d)
}

// cutOff separates pods from ZooKeeper and from all other pods, for the time d.
func (b *bench) cutOff(pods []string, d time.Duration) error {
	others := []string{"zookeeper"}
	for _, p := range b.Pods() {
		if !slices.Contains(pods, p.Name) {
			others = append(others, p.Name)
		}
	}
	return b.during(runners.Fault{Kind: "network.partition", From: pods, To: others}, d)
}

func (b *bench) expireAll() error {
	for _, p := range b.Pods() {
		if err := b.BeginFault(runners.Fault{Kind: "zookeeper.expired-session", Pod: p.Name}); err != nil {
			return err
		}
	}
	return nil
}

// broken is the number of the version that the incident "bad version" publishes and no model server
// can load.
const broken = 3

func (b *bench) badVersion() error {
	base := b.lab.base() + "/entry"
	if err := b.ExportVersion(base, broken, max(b.lab.EntryBytes, 1)); err != nil {
		return err
	}
	return b.BeginFault(runners.Fault{Kind: "version.broken", BasePath: base, N: broken})
}

func (b *bench) noBadVersion() error {
	base := b.lab.base() + "/entry"
	if err := b.EndFault(runners.Fault{Kind: "version.broken", BasePath: base, N: broken}); err != nil {
		return err
	}
	return b.DeleteVersion(base, broken)
}

// names returns the names of the first n pods.
func (b *bench) names(n int) []string {
	return lists.MapOrNil(b.Pods()[:n], func(p runners.Pod) string { return p.Name })
}

// idc returns the pods of the last idc.
func (b *bench) idc() []string {
	pods := b.Pods()
	last := pods[len(pods)-1].Location.IDC
	return lists.Select(pods, func(p runners.Pod) (string, bool) { return p.Name, p.Location.IDC == last })
}
