// Package expiring simulates the ExpiryQueue of a ZooKeeper server, as far as its words and commands
// show it. [NewSets] returns [Sets] without members: which member is in which set follows from the
// members' deadlines. To change
//
//   - when a set goes: sets.go
//   - who is in which set: the machine of sim/zookeeper for sessions, and wire for connections
//
// Unstable: any commit may change it.
package expiring

import "slices"

// Sets holds the times of the sets that a real server keeps of what will expire, one for each
// instant of a grid (ExpiryQueue.java). A set that loses its last member, because that was touched
// or has ended, stays until its time comes. So a server lists empty sets.
type Sets struct {
	gridMs int64
	// polledMs is the last instant of the grid at which the server removed a set.
	polledMs int64
	// times is sorted. Those up to polledMs are of sets that were made too late. The server never
	// looks for them again, and so keeps them.
	times []int64
}

// NewSets returns no sets. gridMs is the interval of the grid.
func NewSets(gridMs int64) Sets { return Sets{gridMs: gridMs} }

// Deadline returns the first instant of the grid after tMs. If tMs is itself one, it returns the
// next one (ZK-3.1).
func (e *Sets) Deadline(tMs int64) int64 { return (tMs/e.gridMs + 1) * e.gridMs }

// Make makes the set of a deadline, unless it is there already.
func (e *Sets) Make(nowMs, deadlineMs int64) {
	e.poll(nowMs)
	if at, found := slices.BinarySearch(e.times, deadlineMs); !found {
		e.times = slices.Insert(e.times, at, deadlineMs)
	}
}

// Times returns the deadlines of all sets at nowMs in order. The list is valid until the next call.
func (e *Sets) Times(nowMs int64) []int64 {
	e.poll(nowMs)
	return e.times
}

// poll removes the sets whose time has come since the last call.
func (e *Sets) poll(nowMs int64) {
	first, _ := slices.BinarySearch(e.times, e.polledMs+1)
	e.polledMs = max(e.polledMs, nowMs/e.gridMs*e.gridMs)
	end, _ := slices.BinarySearch(e.times, e.polledMs+1)
	e.times = slices.Delete(e.times, first, max(first, end))
}
