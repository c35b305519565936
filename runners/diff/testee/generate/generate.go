// Package generate invents inputs for the operations of the catalogue, and makes an input
// that shows a difference small.
//
// Two things to use first:
//
//   - [GeneratedOps] lists the operations that inputs can be invented for.
//   - [Shrink] makes a case small while it keeps its difference.
//
// Each module of the reference has a file with the generators of its operations; values.go
// has those of plain values, shrink.go the shrinking.
package generate

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// A generator invents the inputs of an operation from draws. Small draws give
// plain inputs, so that what shrinking leaves is plain; see shrink.go.
type generator func(d *draws, c *testee.Case)

// generators are the operations whose inputs can be invented, by the files named after
// what is asked.
var generators = mergeGenerators(
	genUtils, genDataDef, genZooKeeper, genDiscovery, genModels, genFiles, genTFSClient, genTraining, genAgentV1,
	genClients, genPrograms, genFakeTFServing, genPython, genHooks, genSaving, genDataSide,
	genRunner, genEstimator, genConsulClient, genCluster, genWaiting, genPaths,
)

func mergeGenerators(tables ...map[string]generator) map[string]generator {
	all := map[string]generator{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// GeneratedOps lists the operations whose inputs can be invented, sorted.
func GeneratedOps() []string { return slices.Sorted(maps.Keys(generators)) }

// draws is a source of choices that remembers them. A tape that is set is played
// again; past its end all draws are 0.
type draws struct {
	rng    *rand.Rand
	replay bool
	tape   []uint64
	made   []uint64
}

func newDraws(seed, stream uint64) *draws { return &draws{rng: rand.New(rand.NewPCG(seed, stream))} }

// ReplayDraws makes a source of choices for [Build] that plays a tape, as [Invent]
// returned it or [Shrink] made it smaller; past its end all draws are 0.
func ReplayDraws(tape []uint64) *draws { return &draws{replay: true, tape: tape} }

// n draws a number in [0, limit); limit must be positive.
func (d *draws) n(limit int) int {
	var v uint64
	switch {
	case !d.replay:
		v = uint64(d.rng.IntN(limit))
	case len(d.made) < len(d.tape):
		v = d.tape[len(d.made)] % uint64(limit)
	}
	d.made = append(d.made, v)
	return int(v)
}

// flip is true one time in n, and false when shrunk.
func (d *draws) flip(n int) bool { return d.n(n) == n-1 }

// length is a small number, seldom a larger one.
func (d *draws) length(most int) int {
	if d.flip(4) {
		return d.n(most + 1)
	}
	return d.n(min(most, 3) + 1)
}

// pick draws one of the items; the first is the plainest.
func pick[T any](d *draws, items ...T) T { return items[d.n(len(items))] }

// list draws up to most items.
func list(d *draws, most int, item func() any) []any {
	items := []any{}
	for range d.length(most) {
		items = append(items, item())
	}
	return items
}

// object makes a dict of names and values.
func dict(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// Invent makes case number i of an operation of [GeneratedOps] from a seed, and returns
// the draws that made it, from which [Build] makes it again.
func Invent(op string, seed uint64, i int) (*testee.Case, []uint64) {
	stream := uint64(i)<<32 ^ HashOf(op)
	d := newDraws(seed, stream)
	return Build(op, d), d.made
}

// Build makes a case of an operation of [GeneratedOps] from draws.
func Build(op string, d *draws) *testee.Case {
	c := &testee.Case{Op: op, Env: dict("MY_HOST_IP", "10.1.2.3"), In: dict()}
	generators[op](d, c)
	return c
}

// HashOf is a hash of a text (FNV-1a), the same in every run.
func HashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
