package agent

import (
	"fmt"
	"strconv"
	"strings"
)

// Quirk is the number of a surprise of the reference, as vectors/quirks.yaml
// lists them.
type Quirk int

// The quirks that the configuration, patterns and data definitions can repair.
const (
	Q22  Quirk = 22  // agent_v3.py:79: a layout filter without ";" is a ValueError
	Q25  Quirk = 25  // utils.py:943: version policy latest_once is an AttributeError
	Q109 Quirk = 109 // replica_manager.py:671: the re-register flag is never reset
	Q116 Quirk = 116 // utils.py:573: dc_aware without idc and cluster is a TypeError
	Q117 Quirk = 117 // replica_manager.py:489: a base_name with "entry" in it makes PS nodes sequential
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
)

func (q Quirk) String() string { return "Q" + strconv.Itoa(int(q)) }

// maxQuirk is the highest number of the register.
const maxQuirk = 255

// Quirks is a set of quirks that are kept as the reference has them; those
// outside the set are repaired. The zero value keeps all.
type Quirks struct {
	// repaired has a bit for each quirk outside the set.
	repaired [maxQuirk/64 + 1]uint64
}

// Python keeps every quirk of the reference.
var Python = Quirks{}

// Fixed keeps none.
var Fixed = Quirks{repaired: [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}}

// KeepOnly is the set of just these quirks.
func KeepOnly(quirks ...Quirk) Quirks {
	s := Fixed
	for _, q := range quirks {
		s.repaired[q/64] &^= 1 << (q % 64)
	}
	return s
}

// Repair is the set without these quirks.
func (s Quirks) Repair(quirks ...Quirk) Quirks {
	for _, q := range quirks {
		s.repaired[q/64] |= 1 << (q % 64)
	}
	return s
}

// Keeps says whether q behaves as in the reference.
func (s Quirks) Keeps(q Quirk) bool { return s.repaired[q/64]&(1<<(q%64)) == 0 }

// ParseQuirks reads "python", "fixed", a list as "Q22,Q117" of the only quirks to
// keep, or one as "-Q22,-Q117" of the only quirks to repair.
func ParseQuirks(text string) (Quirks, error) {
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
		if minus != repairs || !found || err != nil || n < 1 || n > maxQuirk {
			return Quirks{}, fmt.Errorf("quirks: found %q, want python, fixed, ids to keep as Q22,Q117, or ids to repair as -Q22,-Q117", id)
		}
		listed = append(listed, Quirk(n))
	}
	if repairs {
		return Python.Repair(listed...), nil
	}
	return KeepOnly(listed...), nil
}

// String is the form that [ParseQuirks] reads: the shorter one of the lists.
func (s Quirks) String() string {
	switch s {
	case Python:
		return "python"
	case Fixed:
		return "fixed"
	}
	var kept, repaired []string
	for q := Quirk(1); q <= maxQuirk; q++ {
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
