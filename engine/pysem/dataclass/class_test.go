package dataclass_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Goal: a line in the struct is enough to declare a field. Method: a class with a base class and a
// field of every Go type.

type base struct {
	First int `py:"first" default:"60 * 1000"`
}

type record struct {
	base
	Text   pysem.OptString `py:"text"`
	Number pysem.OptInt    `py:"number" default:"-1"`
	Flag   bool            `py:"flag" default:"True"`
	Share  float64         `py:"share" default:"0"` // the default is an int in Python
	Word   string          `py:"word" default:"'NONE'"`
	Stat   env.ModelState  `py:"stat"`
	Words  []string        `py:"words"`
	Counts []int           `py:"counts" default:"[]"`
	Data   []byte          `py:"data"`
	Kind   color           `py:"kind" default:"2"`
	Aside  complex128      `py:"-"`

	odd *dataclass.OddValues
}

// color is an enum with the members 1 and 2.
type color int

func (c *color) LoadPython() any { return int(*c) }

func (c *color) StorePython(value any) bool {
	n, ok := value.(int)
	*c = color(n)
	return ok
}

var class = dataclass.Of(func(r *record) **dataclass.OddValues { return &r.odd })

func TestFieldsHaveTheOrderOfLinesAndTheirDefaults(t *testing.T) {
	r := class.New()
	want := []dataclass.Field{
		{Name: "first", Value: 60000}, {Name: "text", Value: nil}, {Name: "number", Value: -1}, {Name: "flag", Value: true},
		{Name: "share", Value: 0}, {Name: "word", Value: "NONE"}, {Name: "stat", Value: 0}, {Name: "words", Value: nil},
		{Name: "counts", Value: []any{}}, {Name: "data", Value: []byte(nil)}, {Name: "kind", Value: 2},
	}
	if diff := cmp.Diff(want, class.List(&r)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	var defaults []dataclass.Field
	for _, f := range class.Fields() {
		defaults = append(defaults, dataclass.Field{Name: f.Name, Value: f.Default})
	}
	if diff := cmp.Diff(want, defaults); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// Goal: a field returns every value that was set, even one that its type cannot hold, and the JSON
// form contains it.
func TestFieldsHoldAnyValue(t *testing.T) {
	for _, f := range class.Fields() {
		for _, value := range []any{nil, true, 7, 1.5, "seven", []any{"a"}, []any{1, 2}} {
			r := class.New()
			if err := class.Set(&r, f.Name, value); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value, class.Get(&r, f.Name)); diff != "" {
				t.Errorf("%s (-set +got):\n%s", f.Name, diff)
			}
			shown := `"` + f.Name + `": ` + string(pysem.AppendJSON(nil, value))
			if got := string(class.AppendJSON(nil, &r)); !strings.Contains(got, shown) {
				t.Errorf("JSON: got %s, want %s in it", got, shown)
			}
		}
	}
}

func TestACopyKeepsItsOddValues(t *testing.T) {
	r := class.New()
	set := func(r *record, name string, value any) {
		if err := class.Set(r, name, value); err != nil {
			t.Fatal(err)
		}
	}
	set(&r, "first", "one")
	copied := r
	set(&r, "first", "two")
	set(&copied, "number", "three")
	got := []any{class.Get(&r, "first"), class.Get(&r, "number"), class.Get(&copied, "first"), class.Get(&copied, "number")}
	if diff := cmp.Diff([]any{"two", -1, "one", "three"}, got); diff != "" {
		t.Errorf("values of the object and its copy (-want +got):\n%s", diff)
	}
	r.First = 8
	if got := class.Get(&r, "first"); got != 8 {
		t.Errorf("after an assignment in Go: got %v, want 8", got)
	}
}

func TestALineThatIsWrongPanics(t *testing.T) {
	for _, c := range []struct {
		name string
		make func()
		want string
	}{
		{"no name", func() { of[struct{ A int }]() }, ".A has no tag py"},
		{"no default", func() {
			of[struct {
				A int `py:"a" default:"1 +"`
			}]()
		}, `default "1 +"`},
		{"a shared list", func() {
			of[struct {
				A []int `py:"a" default:"[1]"`
			}]()
		}, "objects would share the list"},
		{"a type that is none of Python", func() {
			of[struct {
				A complex128 `py:"a"`
			}]()
		}, "a complex128 holds no Python value"},
		{"two of a name", func() {
			of[struct {
				A int `py:"a"`
				B int `py:"a"`
			}]()
		}, `two fields "a"`},
		{"a base class in the middle", func() {
			of[struct {
				A int `py:"a"`
				base
			}]()
		}, "base class base is not in the first line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.want) {
					t.Errorf("got %q, want a panic with %q", text, c.want)
				}
			}()
			c.make()
		})
	}
}

// of makes a class whose objects have no place for odd values of their own.
func of[T any]() {
	var odd *dataclass.OddValues
	dataclass.Of(func(*T) **dataclass.OddValues { return &odd })
}

func TestEncodingAllocatesNothing(t *testing.T) {
	type plain struct {
		Text  pysem.OptString `py:"text" default:"'t'"`
		Task  int             `py:"task"`
		Share float64         `py:"share"`
		odd   *dataclass.OddValues
	}
	class := dataclass.Of(func(p *plain) **dataclass.OddValues { return &p.odd })
	p, b := class.New(), make([]byte, 0, 256)
	if allocs := testing.AllocsPerRun(100, func() { b = class.AppendJSON(b[:0], &p) }); allocs > 0 {
		t.Errorf("encoding makes %v allocations, want none", allocs)
	}
}
