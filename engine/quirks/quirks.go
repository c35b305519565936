// Package quirks has the faults of the reference which agents and training jobs either keep or
// repair, as the user wants. Each has its number in vectors/quirks.yaml.
//
//   - [Parse] reads a [Set] from a flag: python, fixed, or a list of ids.
//   - [Set.Keeps] tells the code that has a quirk whether to behave as the reference.
//
// To make another quirk repairable, add its number here, or in jobquirks for one of training jobs, and
// call Keeps in the code that has it.
//
// Unstable: any commit may change it.
package quirks

import (
	"fmt"
	"strconv"
	"strings"
)

// Quirk is the number of a fault or surprise of the reference, such as 22 for Q22 of
// vectors/quirks.yaml.
type Quirk int

// These are the repairable quirks of the agents, the configuration, patterns and data definitions.
const (
	Q2   Quirk = 2   // utils.py:474: dense children of version 1 do not read the replica id that tells them apart
	Q14  Quirk = 14  // agent_v1.py:240: a signal while the main thread kills everything is a deadlock
	Q20  Quirk = 20  // agent_v1.py:199: the wait for a port goes on after its process has ended
	Q21  Quirk = 21  // replica_manager.py:807: the wait for dense replicas looks at all data centres
	Q22  Quirk = 22  // agent_v3.py:79: a layout filter without ";" is a ValueError
	Q25  Quirk = 25  // utils.py:943: version policy latest_once is an AttributeError
	Q27  Quirk = 27  // agent_v3.py:122: a model without versions ends the round of bindings
	Q29  Quirk = 29  // agent_v3.py:190: stopping waits for threads that sleep
	Q40  Quirk = 40  // backends.py:496: create becomes set, also on the znode of another session
	Q41  Quirk = 41  // backends.py:261: bindings count as written even if the write failed
	Q42  Quirk = 42  // backends.py:280: declarations are not watched
	Q43  Quirk = 43  // backends.py:332: service information is read only when bindings change
	Q44  Quirk = 44  // backends.py:277: a malformed child of the layout blocks all
	Q45  Quirk = 45  // backends.py:299: a layout that was deleted is not followed any more
	Q109 Quirk = 109 // replica_manager.py:671: the re-register flag is never reset
	Q110 Quirk = 110 // replica_manager.py:233: the poll registers lost PS with the port None
	Q111 Quirk = 111 // replica_manager.py:244: the poll takes over a replica whose id begins with the own one
	Q114 Quirk = 114 // replica_manager.py:178: a replica that is made again at once is taken for deleted
	Q116 Quirk = 116 // utils.py:573: dc_aware without idc and cluster is a TypeError
	Q117 Quirk = 117 // replica_manager.py:489: a base_name with "entry" in it makes PS nodes sequential
	Q120 Quirk = 120 // replica_manager.py:500: registering sets the znode of another session
	Q121 Quirk = 121 // replica_manager.py:574: a state counts as told before it is written, even if that fails
	Q122 Quirk = 122 // replica_manager.py:568: an error status ends the round
	Q124 Quirk = 124 // replica_manager.py:671: one error ends the thread that registers again after a lost session
	Q125 Quirk = 125 // replica_manager.py:742: the session listener sleeps on kazoo's thread
	Q152 Quirk = 152 // utils.py:146: third and later duplicates of a key are dropped
	Q153 Quirk = 153 // utils.py:137: an inline comment leaves a blank at the value's end
	Q154 Quirk = 154 // utils.py:787: any unknown bool word is True
	Q156 Quirk = 156 // utils.py:146: a duplicate scalar falls back to the default
	Q157 Quirk = 157 // utils.py:141: every key that starts with "include" is an include
	Q158 Quirk = 158 // utils.py:788: conversion errors are hidden
	Q160 Quirk = 160 // utils.py:474: replica_id of the conf is always overwritten
	Q161 Quirk = 161 // utils.py:676: without SHARD_ID no PS is scheduled
	Q162 Quirk = 162 // utils.py:633: UNIFIED commands have --port=None
	Q163 Quirk = 163 // utils.py:622: DENSE has --enable_batching twice
	Q166 Quirk = 166 // utils.py:892: expand_pattern fails on single numbers
	Q172 Quirk = 172 // utils.py:580: container_cluster says None
	Q206 Quirk = 206 // backends.py:243: after a lost session bindings come before service information
	Q207 Quirk = 207 // backends.py:355: a model that is published again keeps its old watch, which calls nothing
	Q208 Quirk = 208 // backends.py:226: a new session hides that the old one was lost
	Q209 Quirk = 209 // agent_v3.py:174: an agent whose first read of its layout raises goes on without a layout
	Q210 Quirk = 210 // replica_manager.py:103: a task that was deleted and created again is not watched again
	Q211 Quirk = 211 // replica_manager.py:210: a replica that disappears during a poll ends the whole round
	Q212 Quirk = 212 // utils.py:656: PS never look for new versions
	Q320 Quirk = 320 // backends.py:271: a change of the layout is lost with the connection
	Q321 Quirk = 321 // backends.py:322: a change of bindings is lost with the connection
	Q322 Quirk = 322 // zk_utils.py:57: kazoo's pauses grow up to an hour
	Q323 Quirk = 323 // agent_v3.py:175: the model server starts before the agent knows what it has to serve
	Q325 Quirk = 325 // agent_v1.py:139: an entry waits for a PS of its own pod that has ended
	Q328 Quirk = 328 // backends.py:242: restarting a client under the lock waits for a callback that needs the lock
	Q333 Quirk = 333 // replica_manager.py:628: the metrics take a version that is gone for the latest
	Q334 Quirk = 334 // replica_manager.py:576: what a former life writes late into a replica's znode stays there
	Q335 Quirk = 335 // replica_manager.py:253: what a watch tells while the poll reads is overwritten
)

func (q Quirk) String() string { return "Q" + strconv.Itoa(int(q)) }

// Max is the highest number of a quirk that a Set can hold.
const Max = 335

// Set is a set of quirks that are kept, so that the code behaves as the reference does. All other
// quirks are repaired. The zero value keeps all quirks.
type Set struct {
	// repaired has a bit for each quirk that is not in the set.
	repaired [Max/64 + 1]uint64
	// fork selects the other form of Q25, the one with monolith's own fork of the model server's
	// protos.
	fork bool
}

// Python is the set of all quirks. With it everything behaves as the reference does.
var Python = Set{}

// Fixed is the empty set. With it every repairable quirk is repaired.
var Fixed = Set{repaired: [...]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}}

// keepOnly returns a set with only the given quirks.
func keepOnly(quirks ...Quirk) Set {
	s := Fixed
	for _, q := range quirks {
		s.repaired[q/64] &^= 1 << (q % 64)
	}
	return s
}

// Repair returns the set without the given quirks.
func (s Set) Repair(quirks ...Quirk) Set {
	for _, q := range quirks {
		s.repaired[q/64] |= 1 << (q % 64)
	}
	return s
}

// Keeps reports whether q is in the set. Then the code has to behave as the reference does.
func (s Set) Keeps(q Quirk) bool { return s.repaired[q/64]&(1<<(q%64)) == 0 }

// InFork reports whether q has the form of monolith's own fork, in which there is nothing to
// repair. Only Q25 has such a form.
func (s Set) InFork(q Quirk) bool { return q == Q25 && s.fork }

// ForkForm is the text that selects the fork's form of Q25.
const ForkForm = "Q25=fork"

// Parse parses a set. The text is "python" (all), "fixed" (none), a list of the quirks to keep such
// as "Q22,Q117", or a list of those to repair such as "-Q22,-Q117". After any of these, ",Q25=fork"
// selects the fork's form of Q25; alone it means "python,Q25=fork". The error for any other text
// explains this.
func Parse(text string) (Set, error) {
	rest, fork := strings.CutSuffix(text, ","+ForkForm)
	if text == ForkForm {
		rest, fork = "python", true
	}
	s, err := parseKept(rest)
	s.fork = fork
	return s, err
}

func parseKept(text string) (Set, error) {
	switch text {
	case "python":
		return Python, nil
	case "fixed":
		return Fixed, nil
	}
	repairs := strings.HasPrefix(text, "-")
	var listed []Quirk
	for id := range strings.SplitSeq(text, ",") {
		id = strings.TrimSpace(id)
		name, minus := strings.CutPrefix(id, "-")
		number, found := strings.CutPrefix(name, "Q")
		n, err := strconv.Atoi(number)
		if minus != repairs || !found || err != nil || n < 1 || n > Max {
			return Set{}, fmt.Errorf("quirks: found %q, want python, fixed, ids to keep as Q22,Q117, or ids to repair as -Q22,-Q117, with or without ,%s", id, ForkForm)
		}
		listed = append(listed, Quirk(n))
	}
	if repairs {
		return Python.Repair(listed...), nil
	}
	return keepOnly(listed...), nil
}

// String returns a text that [Parse] accepts. It lists the quirks to keep or the quirks to repair,
// whichever list is shorter.
func (s Set) String() string {
	if s.fork {
		s.fork = false
		return s.String() + "," + ForkForm
	}
	switch s {
	case Python:
		return "python"
	case Fixed:
		return "fixed"
	}
	var kept, repaired []string
	for q := Quirk(1); q <= Max; q++ {
		if s.Keeps(q) {
			kept = append(kept, q.String())
		} else {
			repaired = append(repaired, "-"+q.String())
		}
	}
	if len(repaired) < len(kept) {
		return strings.Join(repaired, ",")
	}
	return strings.Join(kept, ",")
}
