// Package deeds says what an implementation did in a run of a cluster in one form that
// is the same on every runner, and how what two of them did differs.
//
// Two things to use first:
//
//   - [Read] makes a [Log] of the observations of a run; [Watch] makes a runner whose
//     clusters observe what is read: answers of agents and files too, addresses named by
//     their pods.
//   - [Compare] finds where a log differs from all that a choice of runs of the simulation
//     did; [Difference.Lines] shows it with what was done before and after.
//
// A log has a track for each thing that something was done to: a znode, the session of a
// pod, a process, the versions of a model, a file, the answers of an agent, what a process of
// a training job comes to. In a track the order is kept; a deed done again and again with
// nothing between is one deed, done many times. What one run of the reference has otherwise
// than the next is left out: ports, host names, addresses (a pod is named in their place), ids
// of sessions and processes, names of temporary files, the steps that a checkpoint has and the
// instants that name exports, writes that ZooKeeper refused, who was the first to make an empty
// znode that stays. Times are bounds, and so is the order of what one pod
// did to different things.
//
// To change what of an observation counts look in read.go; how texts are made alike, in
// plain.go; what is observed beyond a runner's own log, in watch.go; what counts as a
// difference, in compare.go; how it is shown, in show.go.
package deeds

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Log is what was done in a run: tracks sorted by name.
type Log struct {
	Tracks []*Track
}

// Track is what was done to one thing, in order.
type Track struct {
	// Name begins with the topic: "znode /gip/binding", "process shard0-replica0 agent_service".
	Name  string
	Deeds []Deed
}

// Topic is the first word of the name: "znode", "session", "process", "child", "model",
// "call", "training", "file" or "answer".
func (t *Track) Topic() string {
	topic, _, _ := strings.Cut(t.Name, " ")
	return topic
}

// Deed is something that was done, once or several times with nothing else between.
type Deed struct {
	// Who did it: a pod, "operator", or "anybody" where that is left open.
	Who string
	// Text is what was done.
	Text string
	// First and Last are the cluster times of the first and the last time, Times how often.
	First, Last time.Duration
	Times       int
}

// String is one line: when, who, what, and how often.
func (d Deed) String() string {
	line := fmt.Sprintf("t+%.1fs %s %s", d.First.Seconds(), d.Who, d.Text)
	if d.Times > 1 {
		line += fmt.Sprintf(" (%d times until t+%.1fs)", d.Times, d.Last.Seconds())
	}
	return line
}

// same reports whether two deeds are the same, whenever they were done.
func (d Deed) same(o Deed) bool {
	return d.Who == o.Who && (d.Text == o.Text || endsUnseen(d.Text, o.Text) || endsUnseen(o.Text, d.Text))
}

// Track finds a track by its name, nil for none.
func (l *Log) Track(name string) *Track {
	i, ok := slices.BinarySearchFunc(l.Tracks, name, func(t *Track, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return nil
	}
	return l.Tracks[i]
}

// Without is the log without the tracks of some topics.
func (l *Log) Without(topics []string) *Log {
	kept := &Log{}
	for _, t := range l.Tracks {
		if !slices.Contains(topics, t.Topic()) {
			kept.Tracks = append(kept.Tracks, t)
		}
	}
	return kept
}
