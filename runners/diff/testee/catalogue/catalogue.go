// Package catalogue declares the operations of the testee protocol, one declaration each: the
// fields of its input, the steps of its sequence with their arguments, and how they are drawn.
//
// Two things to use first:
//
//   - [Find] returns the declaration of an operation, [Ops] lists all of them.
//   - [Invent] draws a case of an operation from a seed; [Shrink] makes a case small while it
//     keeps its difference.
//
// What is made from a declaration: invented cases, here; the call of the Go function that
// answers it, in package gotestee, which hands each field to a parameter; the rows of the
// tables in PROTOCOL.md.
//
//   - to add or change an operation: the file of its module, as consul.go
//   - to change how a declaration is written: template.go
//   - to change how plain values are drawn: values.go; expressions: expressions.grammar
//   - to change how cases are made small: shrink.go
//
// Unstable: any commit may change it.
package catalogue

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// declare returns the template of an operation's input, and sets the environment, host and
// files of the case. It is called anew for each case, so its variables are the case's own.
// Small draws have to give plain inputs, because shrinking makes draws small.
type declare func(d *draws, c *testee.Case) object

// operations maps the names of a module's operations to their declarations.
type operations map[string]declare

var declared = merge(
	utilsOps, dataDefOps, zooKeeperOps, discoveryOps, modelOps, fileOps, tfsClientOps, trainingOps, agentOps,
	clientOps, programOps, fakeTFServingOps, pythonOps, hookOps, savingOps, dataSideOps,
	runnerOps, estimatorOps, consulOps, clusterOps, waitingOps, pathOps,
)

func merge(tables ...operations) operations {
	all := operations{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// in declares an operation whose case needs no environment, host or files.
func in(pairs ...any) declare {
	return func(*draws, *testee.Case) object { return pairs }
}

// recorded declares an operation whose inputs are recorded by hand and never drawn, by the
// names of its fields. A name may be followed by the steps that the field holds.
func recorded(names ...any) declare {
	var template object
	for _, name := range names {
		if _, ok := name.(string); ok {
			template = append(template, name, nil)
		} else {
			template[len(template)-1] = name
		}
	}
	return func(d *draws, _ *testee.Case) object {
		d.undrawable = true
		return template
	}
}

// Operation describes a declared operation to other packages.
type Operation struct {
	Name string
	// In lists the fields of the input.
	In []Field
	// Sequence is the field that holds the steps, "" for an operation without steps.
	Sequence string
	// Steps maps the names of steps to their arguments.
	Steps map[string][]Field
	// Drawn reports whether inputs of the operation can be invented.
	Drawn bool
}

// Field is a field of an input, or an argument of a step.
type Field struct {
	Name string
	// Optional fields may be missing.
	Optional bool
	// Remark says what the value is, where its name does not; "" for none.
	Remark string
}

// String returns the field as PROTOCOL.md shows it.
func (f Field) String() string {
	text := "`" + f.Name + "`"
	if f.Optional {
		text += "?"
	}
	if f.Remark != "" {
		text += " (" + f.Remark + ")"
	}
	return text
}

var found = findAll()

func findAll() map[string]*Operation {
	all := map[string]*Operation{}
	for name, declare := range declared {
		d := ReplayDraws(nil)
		template := declare(d, newCase(name))
		o := &Operation{Name: name, In: template.fields(), Steps: map[string][]Field{}, Drawn: !d.undrawable}
		for i := 0; i < len(template); i += 2 {
			if collectSteps(template[i+1], o.Steps); len(o.Steps) > 0 && o.Sequence == "" {
				o.Sequence = keyOf(template[i].(string)).Name
			}
		}
		all[name] = o
	}
	return all
}

// Find returns the declaration of an operation, nil for an unknown name.
func Find(name string) *Operation { return found[name] }

// Ops lists the operations, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(found)) }

// DrawnOps lists the operations whose inputs can be invented, sorted.
func DrawnOps() []string {
	return slices.DeleteFunc(Ops(), func(name string) bool { return !found[name].Drawn })
}

// Signature returns the input of an operation as PROTOCOL.md shows it.
func (o *Operation) Signature() string {
	return strings.Join(lists.MapOrNil(o.In, Field.String), ", ")
}

// draws makes random choices and remembers them. With a tape it replays these choices
// instead; past the tape's end every draw is 0.
type draws struct {
	rng    *rand.Rand
	replay bool
	tape   []uint64
	made   []uint64
	// undrawable is set by the declaration of an operation whose inputs cannot be invented.
	undrawable bool
}

func newDraws(seed, stream uint64) *draws { return &draws{rng: rand.New(rand.NewPCG(seed, stream))} }

// ReplayDraws makes draws for [Build] that replay a tape, as [Invent] returned or [Shrink]
// shortened it. Past the tape's end every draw is 0.
func ReplayDraws(tape []uint64) *draws { return &draws{replay: true, tape: tape} }

// n draws a number in [0, limit); limit has to be positive.
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

// flip draws true one time in n; a shrunk draw is false.
func (d *draws) flip(n int) bool { return d.n(n) == n-1 }

// length draws a number up to 3, seldom a larger one up to most.
func (d *draws) length(most int) int {
	if d.flip(4) {
		return d.n(most + 1)
	}
	return d.n(min(most, 3) + 1)
}

// pick draws one of the items; the first has to be the plainest.
func pick[T any](d *draws, items ...T) T { return items[d.n(len(items))] }

func newCase(op string) *testee.Case {
	return &testee.Case{Op: op, Env: dict("MY_HOST_IP", "10.1.2.3"), In: dict()}
}

// Invent makes case number i of an operation of [DrawnOps] from a seed, and returns
// the draws that made it, from which [Build] makes it again.
func Invent(op string, seed uint64, i int) (*testee.Case, []uint64) {
	d := newDraws(seed, uint64(i)<<32^HashOf(op))
	return Build(op, d), d.made
}

// Build makes a case of an operation of [DrawnOps] from draws.
func Build(op string, d *draws) *testee.Case {
	c := newCase(op)
	c.In = d.object(declared[op](d, c))
	return c
}

// HashOf returns the FNV-1a hash of a text, which is the same in every run.
func HashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// dict makes a dict of names and values.
func dict(pairs ...any) *pysem.Dict { return pysem.DictOf(pairs...) }
