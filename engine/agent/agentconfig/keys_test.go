package agentconfig

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
)

// Goal: to add a field to the configuration, one line is enough. Method: a configuration class with
// fields that AgentConfig does not have, read through the same tables.

// longer is a configuration class with an extra field of each kind.
type longer struct {
	moreFlags
	Level  pysem.OptString `py:"log_level" default:"'info'" words:"debug info" wrong:"fatal" older:"verbosity"`
	Rounds int             `py:"rounds" default:"2 * 3"`
	Share  float64         `py:"share"`
	Quiet  bool            `py:"quiet"`
	Hosts  []string        `py:"hosts"`
	Other  int             `py:"-"`

	odd *dataclass.OddValues
}

// moreFlags is the embedded base class of longer. Its fields are flags of a model server.
type moreFlags struct {
	Trace bool `py:"trace" default:"True"`
}

var (
	longerClass = dataclass.Of(func(c *longer) **dataclass.OddValues { return &c.odd })
	longerKeys  = keysOf(longerClass.Fields())
)

// read parses the text of a configuration file into an object of the test's class.
func read(t *testing.T, text string) *longer {
	t.Helper()
	var args pysem.Dict
	p := confParser{args: &args}
	for _, line := range pysem.Lines(text) {
		if entry := parseConfLine(line, quirks.Python); entry.kind == confSetting {
			p.set(entry.key, entry.value)
		}
	}
	fields, err := Loader{Quirks: quirks.Fixed}.fieldsOf(longerKeys, &args)
	if err != nil {
		t.Fatal(err)
	}
	c := longerClass.New()
	for _, f := range fields {
		if err := longerClass.Set(&c, f.Name, f.Value); err != nil {
			t.Fatal(err)
		}
	}
	return &c
}

func TestAFieldOfOneLineIsDefaultedReadAndShown(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []dataclass.Field
	}{
		{"defaults", "verbosity debug\n", []dataclass.Field{
			{Name: "trace", Value: true}, {Name: "log_level", Value: "debug"}, {Name: "rounds", Value: 6},
			{Name: "share", Value: 0.0}, {Name: "quiet", Value: false}, {Name: "hosts", Value: nil}}},
		{"values", "trace no\nlog_level none\nrounds 60 * 1000\nshare 1 / 4\nquiet y\nhosts a\nhosts b\nOther 3\n", []dataclass.Field{
			{Name: "trace", Value: false}, {Name: "log_level", Value: nil}, {Name: "rounds", Value: 60000},
			{Name: "share", Value: 0.25}, {Name: "quiet", Value: true}, {Name: "hosts", Value: []any{"a", "b"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, longerClass.List(read(t, c.text))); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFieldOfOneLineIsChecked(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a word of none", "log_level loud\n", `a:1: found log_level "loud", want one of debug, info`},
		{"no number", "rounds many\n", `a:1: found rounds "many", want a number, or a plain expression of numbers`},
		{"no bool", "quiet very\n", `a:1: found quiet "very", want one of true, y, t, yes, 1, false, n, f, no, 0`},
		{"misspelt", "round 1\n", `a:1: found the unknown key "round", want rounds`},
		{"not a field", "Other 1\n", `a:1: found the unknown key "Other", want a known key`},
		{"an older name", "verbosity loud\n", `a:1: found verbosity "loud", want one of debug, info`},
	} {
		t.Run(c.name, func(t *testing.T) {
			checker := confChecker{path: "a", keys: longerKeys, first: map[string]confUse{}}
			for i, line := range pysem.Lines(c.text) {
				checker.line(i+1, line)
			}
			if len(checker.problems) != 1 || checker.problems[0].String() != c.want {
				t.Errorf("got %v, want %s", checker.problems, c.want)
			}
		})
	}
}

func TestAFieldOfTheBaseClassIsAFlag(t *testing.T) {
	c := read(t, "trace 0\n")
	var got []string
	for _, key := range longerKeys.ownedBy(reflect.TypeFor[moreFlags]()) {
		if flag, changed := key.changedFlag(longerClass.Get(c, key.Name)); changed {
			got = append(got, flag)
		}
	}
	if diff := cmp.Diff([]string{"--trace=false"}, got); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

// Goal: the default of a key is among the words that its struct tag allows.
func TestTheDefaultsAreAmongTheWords(t *testing.T) {
	for _, key := range Keys() {
		if len(key.Words) == 0 || key.Default == nil {
			continue
		}
		c := confChecker{path: "a", keys: configKeys, first: map[string]confUse{}}
		c.setting(1, key.Name, pysem.Str(key.Default))
		if len(c.problems) > 0 {
			t.Errorf("the default of %s: %v", key.Name, c.problems)
		}
	}
}
