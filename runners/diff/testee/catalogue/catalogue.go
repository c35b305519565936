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

// declare returns the template of an operation's input, and sets the case's environment, host and
// files. It is called for each case, so that its variables belong to that case. Small draws have to
// give plain inputs, because shrinking makes draws smaller.
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

// recorded declares an operation whose inputs are written by hand and never drawn. names lists its
// fields. A name may be followed by the steps that the field contains.
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

// Operation describes an operation of the catalogue for other packages.
type Operation struct {
	Name string
	// In lists the fields of the input.
	In []Field
	// Sequence is the field that holds the steps, "" for an operation without steps.
	Sequence string
	// Steps maps the names of steps to their arguments.
	Steps map[string][]Field
	// Drawn reports whether random inputs of the operation can be made.
	Drawn bool
}

// Field is a field of an operation's input, or an argument of a step.
type Field struct {
	Name string
	// Optional means that the field may be missing.
	Optional bool
	// Remark explains the value if its name does not, "" otherwise.
	Remark string
}

// Takes reports whether the field has the given name. A field named * takes any name.
func (f Field) Takes(name string) bool { return f.Name == name || f.Name == "*" }

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

// Find returns the operation with a name, or nil if there is none.
func Find(name string) *Operation { return found[name] }

// Ops lists the operations, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(found)) }

// DrawnOps lists, sorted, the operations for which random inputs can be made.
func DrawnOps() []string {
	return slices.DeleteFunc(Ops(), func(name string) bool { return !found[name].Drawn })
}

// Signature returns the input of an operation as PROTOCOL.md shows it.
func (o *Operation) Signature() string {
	return strings.Join(lists.MapOrNil(o.In, Field.String), ", ")
}

// draws makes random choices and records them. If it has a tape, it repeats the choices on the
// tape. After the end of the tape every choice is 0.
type draws struct {
	rng    *rand.Rand
	replay bool
	tape   []uint64
	made   []uint64
	// undrawable is set by the declaration of an operation for which no random inputs can be made.
	undrawable bool
}

func newDraws(seed, stream uint64) *draws { return &draws{rng: rand.New(rand.NewPCG(seed, stream))} }

// ReplayDraws returns draws for [Build] that repeat a tape, as [Invent] returns it or [Shrink]
// shortens it. After the end of the tape every draw is 0.
func ReplayDraws(tape []uint64) *draws { return &draws{replay: true, tape: tape} }

// n returns a random number in [0, limit). limit must be positive.
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

// flip returns true one time in n. A draw of 0, to which shrinking leads, gives false.
func (d *draws) flip(n int) bool { return d.n(n) == n-1 }

// length returns a random length from 0 to the limit most. Three times in four, the limit is also
// at most 3.
func (d *draws) length(most int) int {
	if d.flip(4) {
		return d.n(most + 1)
	}
	return d.n(min(most, 3) + 1)
}

// pick returns a random item. Put the plainest item first, because shrinking leads to it.
func pick[T any](d *draws, items ...T) T { return items[d.n(len(items))] }

func newCase(op string) *testee.Case {
	return &testee.Case{Op: op, Env: dict("MY_HOST_IP", "10.1.2.3"), In: dict()}
}

// Invent makes random case number i of an operation in [DrawnOps], by a seed. It also returns the
// draws, from which [Build] makes the same case again.
func Invent(op string, seed uint64, i int) (*testee.Case, []uint64) {
	d := newDraws(seed, uint64(i)<<32^HashOf(op))
	return Build(op, d), d.made
}

// Build makes a case of an operation in [DrawnOps] from its draws.
func Build(op string, d *draws) *testee.Case {
	c := newCase(op)
	c.In = d.object(declared[op](d, c))
	return c
}

// HashOf returns the FNV-1a hash of a text. Unlike Go's maphash it is the same in every run.
func HashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// dict makes a dict. Its arguments are names and values, alternating.
func dict(pairs ...any) *pysem.Dict { return pysem.DictOf(pairs...) }
