// Package deeds writes down what an implementation did in a run of a cluster, in one form
// that is the same on every runner, and compares two such logs.
//
// Two things to use first:
//
//   - [Read] makes a [Log] of the observations of a run. [Watch] wraps a runner so that its
//     clusters also observe answers of agents and files, with pods in place of addresses.
//   - [Compare] finds where a log differs from all that several runs of the simulation
//     did; [Difference.Lines] shows it with the deeds before and after.
//
// A log has a track for each thing that something was done to: a znode, the session of a
// pod, a process, the versions of a model, a file, the answers of an agent, the progress of
// a process of a training job. A track keeps the order; a deed that is repeated with
// nothing between is one deed, done many times.
//
// A log leaves out what differs between two runs of the reference:
//
//   - ports, host names and addresses, for which the pod's name stands;
//   - ids of sessions and processes, and names of temporary files;
//   - the steps that a checkpoint has, and the instants that name exports;
//   - writes that ZooKeeper refused, and which pod first made an empty persistent znode.
//
// Times are compared within bounds, and so is the order of what one pod did to different
// things. To change
//
//   - which observations count: read.go
//   - how texts are made equal: plain.go
//   - what is observed beyond a runner's own log: watch.go
//   - what counts as a difference: compare.go, and of rounds: round.go
//   - how it is shown: show.go
//   - which reads of ZooKeeper are one act: reads.go
//
// Unstable: any commit may change it.
package deeds

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Log lists what was done in a run, as tracks sorted by name.
type Log struct {
	Tracks []*Track
	// Ended, when set, is the cluster time at which the run was cut off. Deeds due after that
	// time do not count as missing.
	Ended time.Duration
}

// Track lists, in order, what was done to one thing, such as a znode or a process.
type Track struct {
	// Name begins with the topic: "znode /gip/binding", "process shard0-replica0 agent_service".
	Name  string
	Deeds []Deed

	at []time.Duration // times of the acts; only for rounds
}

// Topic is the first word of the name: "znode", "session", "process", "child", "model",
// "call", "round", "reads", "training", "file" or "answer".
func (t *Track) Topic() string {
	topic, _, _ := strings.Cut(t.Name, " ")
	return topic
}

// Deed is one act, or several equal acts in a row, by one actor on one thing.
type Deed struct {
	// Who is the actor: a pod, "operator", or "anybody" if it does not matter.
	Who string
	// Text says what was done.
	Text string
	// First and Last are the cluster times of the first and the last act. Times counts the acts.
	First, Last time.Duration
	Times       int
	// Every is the median time between two acts of a round. It is 0 for other tracks and for a
	// single act.
	Every time.Duration
	// Between counts the acts of a round that followed the previous act much sooner than Every.
	Between int
}

// String returns one line: when, who, what, and how often.
func (d Deed) String() string {
	line := fmt.Sprintf("t+%.1fs %s %s", d.First.Seconds(), d.Who, d.Text)
	if d.Times > 1 {
		line += fmt.Sprintf(" (%d times until t+%.1fs", d.Times, d.Last.Seconds())
		if d.Every > 0 {
			line += fmt.Sprintf(", every %.2fs", d.Every.Seconds())
		}
		line += ")"
	}
	return line
}

// Ends reports whether the deed is the end of a process.
func (d Deed) Ends() bool { return strings.HasPrefix(d.Text+" ", ends) }

// same reports whether two deeds are equal apart from their times.
func (d Deed) same(o Deed) bool {
	return d.Who == o.Who && (d.Text == o.Text || endsUnseen(d.Text, o.Text) || endsUnseen(o.Text, d.Text))
}

// Track finds a track by its name. It returns nil if there is none.
func (l *Log) Track(name string) *Track {
	i, ok := slices.BinarySearchFunc(l.Tracks, name, func(t *Track, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return nil
	}
	return l.Tracks[i]
}

// Without returns a copy of the log that lacks the tracks of the given topics.
func (l *Log) Without(topics []string) *Log {
	kept := &Log{Ended: l.Ended}
	for _, t := range l.Tracks {
		if !slices.Contains(topics, t.Topic()) {
			kept.Tracks = append(kept.Tracks, t)
		}
	}
	return kept
}
