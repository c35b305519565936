package agentcheck

import (
	"regexp"
	"strings"

	"github.com/monosim/monosim/runners"
)

// quiet counts the writes and errors of a cluster that nothing disturbs.
type quiet struct {
	c      *Checker
	writes map[string]int // number of writes, by path
	errors map[string]int // number of errors in the log, by pod and text
	// late has the pods of v1 that have not come up yet since the watch began. Until they do, their
	// agents log an error every minute. These errors do not count here, because Whole reports the
	// missing server.
	late   map[string]bool
	broken *runners.Broken
}

// How often a calm cluster may do the same thing within some minutes. An agent that has just come
// back may write a znode again, and a call that its restart cut off logs one error. An agent whose
// model has no version is exempt, because it logs an error on every poll.
const (
	calmWrites = 1
	calmErrors = 1
)

// Quiet begins to watch the cluster for what a calm cluster would not do. The returned
// function gives the first such action since then as a [runners.Broken], nil if there was
// none.
func (c *Checker) Quiet() func() error {
	q := &quiet{c: c, writes: map[string]int{}, errors: map[string]int{}, late: map[string]bool{}}
	c.quiets = append(c.quiets, q)
	for _, p := range c.view.Pods() {
		c.isStuck(p.Name) // called for its effect: it notes which processes run now
		q.late[p.Name] = !c.isUp(p.Name)
	}
	return func() error {
		if q.broken != nil {
			return *q.broken
		}
		return nil
	}
}

func (q *quiet) wrote(o runners.Observation) {
	if o.Pod == "operator" || o.Path == "" || o.Op == "zookeeper.setData" && !strings.Contains(o.Path, "/service/") {
		return // not counted: an agent of v3 writes the same service info every minute
	}
	if q.writes[o.Path]++; q.writes[o.Path] > calmWrites && !q.c.isStuck(o.Pod) {
		q.breaks(Flaps, "%s was written again by %s, want %d write at most: nothing disturbs the cluster", o.Path, o.Pod, calmWrites)
	}
}

// varying matches numbers, which may differ between errors of one kind.
var varying = regexp.MustCompile(`0x[0-9a-f]+|\d+`)

func (q *quiet) logged(o runners.Observation) {
	if q.late[o.Pod] = q.late[o.Pod] && !q.c.isUp(o.Pod); q.late[o.Pod] {
		return
	}
	key := o.Pod + " " + varying.ReplaceAllString(o.Note, "#")
	if q.errors[key]++; q.errors[key] > calmErrors && !q.c.isStuck(o.Pod) {
		q.breaks(Noise, "%s has logged again %q, want %d time at most: nothing disturbs the cluster", o.Pod, o.Note, calmErrors)
	}
}

// breaks records a broken invariant, unless one was recorded before.
func (q *quiet) breaks(invariant, format string, args ...any) {
	if q.broken == nil {
		b := q.c.failure(invariant, format, args...)
		q.broken = &b
	}
}
