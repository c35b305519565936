package simrun_test

import (
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/test/simrun"
)

// sharedScripts is how many scripts TestNobodyWritesToWhatIsShared plays, of each version;
// by hand hundreds.
var sharedScripts = flag.Int("simrun.sharedscripts", 0, "how many random fault scripts to look for writes to what agents share in; 0 is few")

// ledger has everything that agents of a world share, as it was when it came to be shared.
type ledger struct {
	env.Shared
	names   map[string]*env.Names
	entries []entry
	entered map[uintptr]bool // of those that are not handed through it
	// handed counts how often an agent got what another had made, by what it is.
	handed map[string]int
}

// entry is one value.
type entry struct {
	what  string
	value reflect.Value
	was   string
}

func newLedger(of env.Shared) *ledger {
	return &ledger{Shared: of, names: map[string]*env.Names{}, entered: map[uintptr]bool{}, handed: map[string]int{}}
}

// enter writes down a value. Texts cannot be written to.
func (l *ledger) enter(what string, value any) {
	if _, text := value.(string); !text {
		v := reflect.ValueOf(value)
		l.entries = append(l.entries, entry{what, v, dumpOf(v)})
	}
}

// enterOnce is enter of what a pointer or map leads to, unless it is there.
func (l *ledger) enterOnce(what string, v reflect.Value) {
	if !l.entered[v.Pointer()] {
		l.entered[v.Pointer()] = true
		l.entries = append(l.entries, entry{what, v, dumpOf(v)})
	}
}

func (l *ledger) Lookup(kind string, content []byte) (any, bool) {
	value, ok := l.Shared.Lookup(kind, content)
	if ok {
		l.handed[kind]++
	}
	return value, ok
}

func (l *ledger) Keep(kind string, content []byte, value any) {
	l.enter("content of a "+kind, content)
	l.enter(kind, value)
	l.Shared.Keep(kind, content, value)
}

func (l *ledger) Same(place string, value any, equal func(any) bool) any {
	handed := false
	same := l.Shared.Same(place, value, func(last any) bool {
		handed = equal(last)
		return handed
	})
	if handed {
		l.handed[strings.TrimSpace(strings.SplitN(place, "/", 2)[0])]++
	} else {
		l.enter(place, same)
	}
	return same
}

func (l *ledger) Names(parent string) *env.Names {
	names := l.Shared.Names(parent)
	l.names[parent] = names
	return names
}

// changes compares everything with what it was. What is not handed through the ledger, the
// values that a numbering of children keeps, is written down when it is first found here.
func (l *ledger) changes() (differences []string) {
	for _, e := range l.entries {
		if is := dumpOf(e.value); is != e.was {
			differences = append(differences, fmt.Sprintf("%s\nwas: %s\nis:  %s", e.what, e.was, is))
		}
	}
	for _, parent := range slices.Sorted(maps.Keys(l.names)) {
		kept := reflect.ValueOf(l.names[parent]).Elem().FieldByName("kept")
		for i := range kept.Len() {
			for k := range kept.Index(i).Len() {
				l.enterOnce("kept by "+parent, kept.Index(i).Index(k).Elem())
			}
		}
	}
	return differences
}

// dumpOf is all that there is behind a value, in words. Values are equal, bit by bit, when
// their dumps are.
func dumpOf(v reflect.Value) string {
	d := dumper{seen: map[visit]int{}}
	d.dump(v)
	return d.String()
}

// dumper writes a dump.
type dumper struct {
	strings.Builder
	seen map[visit]int
}

// visit is something that pointers lead to.
type visit struct {
	at  uintptr
	typ reflect.Type
}

// unshared are types of which no more is shared than where they lie: caches and numberings
// that grow while they are shared, and what a server has.
func unshared(t reflect.Type) bool {
	return t == reflect.TypeFor[env.Names]() ||
		strings.HasSuffix(t.PkgPath(), "/sim/zookeeper")
}

func (d *dumper) dump(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		d.WriteString("nothing")
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Interface:
		if v.IsNil() {
			d.WriteString("nil")
			return
		}
		fmt.Fprintf(d, "%s ", v.Elem().Type())
		d.dump(v.Elem())
	case reflect.Struct:
		if !unshared(v.Type()) {
			d.fields(v)
		}
	case reflect.Slice, reflect.Array:
		d.list(v)
	case reflect.Map:
		d.table(v)
	case reflect.String:
		fmt.Fprintf(d, "%q", v.String())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprintf(d, "%#x", v.Pointer())
	default:
		fmt.Fprintf(d, "%v", v)
	}
}

func (d *dumper) pointer(v reflect.Value) {
	to := visit{v.Pointer(), v.Type()}
	if e := v.Type().Elem(); v.IsNil() || unshared(e) || e.Kind() == reflect.Uint8 { // a byte stands for a content
		fmt.Fprintf(d, "at %#x", to.at)
		return
	}
	if n, ok := d.seen[to]; ok {
		fmt.Fprintf(d, "&%d", n)
		return
	}
	d.seen[to] = len(d.seen)
	d.WriteByte('&')
	d.dump(v.Elem())
}

// fields writes those of a struct.
func (d *dumper) fields(v reflect.Value) {
	d.WriteByte('{')
	for i := range v.NumField() {
		fmt.Fprintf(d, " %s:", v.Type().Field(i).Name)
		d.dump(v.Field(i))
	}
	d.WriteByte('}')
}

func (d *dumper) list(v reflect.Value) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		d.WriteString("nil")
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		fmt.Fprintf(d, "%q", v.Bytes())
		return
	}
	d.WriteByte('[')
	for i := range v.Len() {
		d.dump(v.Index(i))
		d.WriteByte(' ')
	}
	d.WriteByte(']')
}

// table has the entries of a map in the order of their keys' dumps.
func (d *dumper) table(v reflect.Value) {
	values := map[string]reflect.Value{}
	for of := v.MapRange(); of.Next(); {
		key := dumper{seen: map[visit]int{}}
		key.dump(of.Key())
		values[key.String()] = of.Value()
	}
	d.WriteString("map[")
	for _, key := range slices.Sorted(maps.Keys(values)) {
		d.WriteString(key + ":")
		d.dump(values[key])
		d.WriteByte(' ')
	}
	d.WriteByte(']')
}

// Goal: nobody writes to what all agents of a world have in common (SCL-13.4). Method: all of
// it is compared with what it was when it came to be shared, in the middle and at the end of
// random scripts of faults.
func TestNobodyWritesToWhatIsShared(t *testing.T) {
	scripts := *sharedScripts
	if scripts == 0 {
		scripts = 20
		if testing.Short() {
			scripts = 4
		}
	}
	handed := map[string]int{}
	for _, version := range []string{"v3", "v1"} {
		for seed := range uint64(scripts) {
			var l *ledger
			runner := &simrun.Runner{Traffic: true, Shared: func(of env.Shared) env.Shared {
				l = newLedger(of)
				return l
			}}
			looks := 0
			look := func() {
				looks++
				if changes := l.changes(); len(changes) > 0 {
					t.Fatalf("%s, seed %d, look %d: %d values were written to, as\n%s", version, seed, looks, len(changes), changes[0])
				}
			}
			playFaults(t, runner, version, seed, false, look)
			for what, n := range l.handed {
				handed[what] += n
			}
		}
	}
	for _, what := range []string{"ReplicaMeta", "ContainerServiceInfo", "replicas of", "leaves of"} {
		if handed[what] == 0 {
			t.Errorf("%s: never handed to a second agent, want that what is shared is used: %v", what, handed)
		}
	}
}

// Goal: a dump shows a change wherever it is, also behind unexported fields, and is the same
// for values that are equal.
func TestADumpShowsEveryChange(t *testing.T) {
	type inner struct {
		next *inner
		data []byte
		any  any
		m    map[string]*datadef.ReplicaMeta
		n    [2]int32
		b    bool
	}
	build := func() *inner {
		meta := datadef.DefaultReplicaMeta()
		v := &inner{data: []byte("ab"), any: &meta, m: map[string]*datadef.ReplicaMeta{"x": {}, "y": &meta}}
		v.next = &inner{next: v}
		return v
	}
	dump := func(v *inner) string { return dumpOf(reflect.ValueOf(v)) }
	was := dump(build())
	if again := dump(build()); again != was {
		t.Errorf("equal values have the dumps\n%s\n%s", was, again)
	}
	for name, change := range map[string]func(*inner){
		"a byte":        func(v *inner) { v.data[1] = 'c' },
		"a pointer":     func(v *inner) { v.next.next = v.next },
		"no pointer":    func(v *inner) { v.next = nil },
		"an entry":      func(v *inner) { v.m["x"].Task = 1 },
		"an interface":  func(v *inner) { v.any.(*datadef.ReplicaMeta).Stat++ },
		"another type":  func(v *inner) { v.any = 1 },
		"an array":      func(v *inner) { v.n[1]-- },
		"a bool":        func(v *inner) { v.next.b = true },
		"a key more":    func(v *inner) { v.m["z"] = nil },
		"a shorter one": func(v *inner) { v.data = v.data[:1] },
	} {
		v := build()
		change(v)
		if dump(v) == was {
			t.Errorf("%s: the dump is the same: %s", name, was)
		}
	}
}
