package playground

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// This file begins and ends faults, and knows which are on.

type faultAsked struct {
	Kind      string   `json:"kind"`
	Pod       string   `json:"pod,omitempty"`
	Server    string   `json:"server,omitempty"`
	From      []string `json:"from,omitempty"`
	To        []string `json:"to,omitempty"`
	BasePath  string   `json:"base_path,omitempty"`
	N         int64    `json:"n,omitempty"`
	SizeBytes int64    `json:"size_bytes,omitempty"`
	// Duration is a parameter of the fault, such as the delay of a slow network. After EndAfter the
	// fault ends by itself. Both are cluster time.
	Duration admin.Span `json:"duration,omitzero"`
	EndAfter admin.Span `json:"end_after,omitzero"`
}

func (a faultAsked) fault() runners.Fault {
	return runners.Fault{
		Kind: a.Kind, Pod: a.Pod, Server: a.Server, From: a.From, To: a.To, BasePath: a.BasePath, N: a.N, SizeBytes: a.SizeBytes,
		Duration: time.Duration(a.Duration),
	}
}

// fields lists the fields that say what a fault hits. Each has placeholders in words. A kind of
// fault takes the field if its sentences have one of these placeholders. wrong says what the field
// needs in a fault that begins, or is "" if its value is right.
func (a faultAsked) fields() []faultField {
	return []faultField{
		{"pod", []string{"{pod}", "{server}"}, a.Pod, a.Pod != "", ""},
		{"server", []string{"{server}"}, a.Server, a.Server != "", ""},
		{"from", []string{"{places}"}, a.From, len(a.From) > 0, wants(len(a.From) > 0, "pods, or zookeeper")},
		{"to", []string{"{places}"}, a.To, len(a.To) > 0, wants(len(a.To) > 0, "zookeeper, or pods")},
		{"base_path", []string{"{model}"}, a.BasePath, a.BasePath != "", ""},
		{"n", []string{"{n}"}, a.N, a.N != 0, wants(a.N >= 1, "1 or more")},
		{"size_bytes", []string{"{size}"}, a.SizeBytes, a.SizeBytes != 0, wants(0 <= a.SizeBytes && a.SizeBytes <= mostBytes, fmt.Sprintf("0 to %d", int64(mostBytes)))},
		{"duration", []string{"{duration}"}, time.Duration(a.Duration), a.Duration != 0, wants(a.Duration > 0, "more than 0s")},
	}
}

type faultField struct {
	name  string
	words []string
	found any
	given bool
	wrong string
}

func wants(right bool, what string) string {
	if right {
		return ""
	}
	return what
}

func (f faultField) of(k runners.FaultKind) bool {
	return slices.ContainsFunc(f.words, func(word string) bool { return strings.Contains(k.Lasts+k.Begins+k.Onset, word) })
}

// check returns an error for a fault that the cluster does not support, or that has other fields
// than its kind takes. A fault that begins must have all fields of its kind.
func (p *Playground) check(c *loopback.Cluster, a faultAsked, begins bool) error {
	kinds := c.Faults()
	at := slices.IndexFunc(kinds, func(k runners.FaultKind) bool { return k.Name == a.Kind })
	if at < 0 {
		return oneOf("kind", a.Kind, lists.Map(kinds, func(k runners.FaultKind) string { return k.Name }))
	}
	var takes []string
	for _, f := range a.fields() {
		if f.of(kinds[at]) {
			takes = append(takes, f.name)
		}
	}
	for _, f := range a.fields() {
		switch {
		case f.given && !f.of(kinds[at]):
			return fmt.Errorf("%s: found %v, want none: %s takes %s", f.name, f.found, a.Kind, cmp.Or(strings.Join(takes, ", "), "nothing"))
		case f.name == "base_path" && f.of(kinds[at]):
			if err := p.d.known(a.BasePath); err != nil {
				return err
			}
		case begins && f.of(kinds[at]) && f.wrong != "":
			return fmt.Errorf("%s: found %v, want %s", f.name, f.found, f.wrong)
		}
	}
	switch {
	case a.EndAfter < 0 || a.EndAfter > 0 && !begins:
		return fmt.Errorf("end_after: found %v, want none, or at the begin more than 0s", time.Duration(a.EndAfter))
	case a.EndAfter > 0 && !c.Ends(a.Kind):
		return fmt.Errorf("end_after: found %v, want none: %s is over at once", time.Duration(a.EndAfter), a.Kind)
	}
	return nil
}

// running is a fault that is on. until is the cluster time at which it ends by itself, or 0 if only
// a request ends it.
type running struct {
	fault runners.Fault
	until time.Duration
}

func (r running) String() string {
	if hit := operator.Hit(r.fault); hit != "" {
		return r.fault.Kind + " of " + hit
	}
	return r.fault.Kind
}

// claim names the part of the cluster that a fault affects as long as it is on. Only one fault may
// affect a part, because a second one would undo what the first did.
func claim(f runners.Fault) string {
	switch f.Kind {
	case "store.absent", "store.empty", "store.unreadable":
		return "base path " + f.BasePath
	case "zookeeper.down", "zookeeper.no-leader", "zookeeper.read-only":
		return "zookeeper"
	}
	return f.Kind + " " + operator.Hit(f)
}

func (p *Playground) beginFault(in faultAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		if err := p.check(c, in, true); err != nil {
			return err
		}
		f := running{fault: in.fault()}
		if on, ok := p.faulty[claim(f.fault)]; ok {
			return fmt.Errorf("kind: found %s, want it after the end of %v", in.Kind, on)
		}
		switch err := c.BeginFault(f.fault); {
		case in.BasePath != "" && err != nil:
			return ofBasePath(err)
		case err != nil || !c.Ends(in.Kind):
			return err
		}
		if in.EndAfter > 0 {
			f.until = c.Now() + time.Duration(in.EndAfter)
		}
		p.faulty[claim(f.fault)] = f
		return nil
	})
}

func (p *Playground) endFault(in faultAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		if err := p.check(c, in, false); err != nil {
			return err
		}
		f := in.fault()
		if on, ok := p.faulty[claim(f)]; !ok || on.fault.Kind != f.Kind {
			all := strings.Join(lists.Map(p.on(), running.String), ", ")
			return fmt.Errorf("kind: found %v, want a fault that is on: %s", running{fault: f}, cmp.Or(all, "there is none"))
		}
		delete(p.faulty, claim(f))
		return c.EndFault(f)
	})
}

// on returns the faults that are on, in the order of their claims.
func (p *Playground) on() []running {
	return lists.Map(slices.Sorted(maps.Keys(p.faulty)), func(of string) running { return p.faulty[of] })
}

// endDue ends the faults whose time is over. If one cannot be ended, for example because a broken
// version was deleted, endDue only reports this, because the rest of the cluster is not concerned.
func (p *Playground) endDue() {
	for _, f := range p.on() {
		if f.until == 0 || f.until > p.cluster.Now() {
			continue
		}
		delete(p.faulty, claim(f.fault))
		if err := p.cluster.EndFault(f.fault); err != nil {
			p.o.Progress(fmt.Sprintf("the end of %v: %v", f, err))
		}
	}
}

type faultListed struct {
	Kind string `json:"kind"`
	Help string `json:"help"`
	Ends bool   `json:"ends"`
}

func (p *Playground) faults() (list []faultListed, err error) {
	err = p.do(func(c *loopback.Cluster) error {
		for _, k := range c.Faults() {
			list = append(list, faultListed{Kind: k.Name, Help: k.Help, Ends: c.Ends(k.Name)})
		}
		return nil
	})
	return list, err
}
