package gflagsutils

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Goal: configurations and their flags pass the reference's own tests (gflags_utils_test.py). The
// classes of those tests are structs here, and their documentation is given as texts.

const testConfigDoc = `
    :param test_int1: integer 1 for test
    :param test_int2: integer 2 for test
    :param test_str: string for test
                        and test another line
  `

type testConfig struct {
	Int1 int    `py:"test_int1"`
	Int2 int    `py:"test_int2"`
	Str  string `py:"test_str" default:"None"`

	odd *dataclass.OddValues
}

var testConfigClass = dataclass.Of(func(c *testConfig) **dataclass.OddValues { return &c.odd })

func parse(t *testing.T, flags *absl.Flags, argv ...string) *absl.Flags {
	t.Helper()
	if _, err := flags.Parse(envtest.New(nil, nil).Files, argv); err != nil {
		t.Fatal(err)
	}
	return flags
}

func names(help []Help) map[string]string {
	all := map[string]string{}
	for _, h := range help {
		all[h.Name] = h.Text
	}
	return all
}

func TestUpstreamGflagUtils_test_extract_help_info(t *testing.T) {
	help, err := ExtractHelpInfo(testConfigDoc)
	want := map[string]string{"test_int1": "integer 1 for test", "test_int2": "integer 2 for test", "test_str": "string for test and test another line"}
	if diff := cmp.Diff(want, names(help)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const derived = ":param testconfig4_int1: testconfig4_int1\n:param testconfig4_str1: testconfig4_str1"
	help, err = ExtractHelpInfo(derived) // without nesting, the fields of the base class are left out
	want = map[string]string{"testconfig4_int1": "testconfig4_int1", "testconfig4_str1": "testconfig4_str1"}
	if diff := cmp.Diff(want, names(help)); diff != "" || err != nil {
		t.Errorf("derived alone: %v (-want +got):\n%s", err, diff)
	}
	if help, err = ExtractHelpInfo(testConfigDoc, derived); len(help) != 5 || err != nil {
		t.Errorf("nested: got %v %v, want 5 names", help, err)
	}
}

func TestUpstreamGflagUtils_test_update(t *testing.T) {
	flags := absl.New(absl.Module{Name: "test", Flags: []absl.Flag{
		{Name: "test_int1", Kind: absl.Integer, Default: 2}, {Name: "test_int2", Kind: absl.Integer, Default: 3},
	}})
	config := testConfigClass.New()
	config.Int1 = 1
	object, fields := Object[testConfig]{testConfigClass, &config}, FieldsOf(testConfigClass)
	if err := Update(object, fields, flags); err != nil || config.Int2 != 0 {
		t.Errorf("before a command line was read: got %+v %v, want no change", config, err)
	}
	if err := Update(object, fields, parse(t, flags)); err != nil {
		t.Fatal(err)
	}
	if config.Int1 != 1 || config.Int2 != 3 || object.Get("test_str") != nil {
		t.Errorf("got %+v, want test_int1 of the code, test_int2 of the flag", config)
	}
}

// extracted defines flags for fields that all have documentation.
func extracted(t *testing.T, flags *absl.Flags, fields []Field, skip ...string) {
	t.Helper()
	var help []Help
	for _, f := range fields {
		help = append(help, Help{f.Name, f.Name})
	}
	if err := ExtractFlags(flags, "test", fields, help, skip); err != nil {
		t.Fatal(err)
	}
}

func TestUpstreamGflagUtils_test_extract_gflags_decorator(t *testing.T) {
	flags := absl.New()
	extracted(t, flags, []Field{{Name: "testconfig2_int1", Kind: Int, Default: 1}, {Name: "testconfig2_str1", Kind: String, Default: "str1"}})
	parse(t, flags)
	if flags.Int("testconfig2_int1") != 1 || flags.Text("testconfig2_str1").V != "str1" {
		t.Errorf("got %v and %v, want the defaults", flags.Int("testconfig2_int1"), flags.Text("testconfig2_str1"))
	}
	extracted(t, flags, []Field{
		{Name: "testconfig3_int1", Kind: Int, Default: 1}, {Name: "testconfig3_int2", Kind: Int, Default: 2}, {Name: "testconfig3_str1", Kind: String, Default: "str1"},
	}, "testconfig3_int1")
	for _, c := range []struct {
		name string
		want bool
	}{{"testconfig3_int1", false}, {"testconfig3_int2", true}, {"testconfig3_str1", true}} {
		if flags.Has(c.name) != c.want {
			t.Errorf("%s: got a flag %v, want %v", c.name, flags.Has(c.name), c.want)
		}
	}
	base := Field{Name: "testconfig5base_int1", Kind: Int, Default: 0}
	own := Field{Name: "testconfig5_int1", Kind: Int, Default: 5}
	if err := ExtractFlags(flags, "test", []Field{base, own}, []Help{{own.Name, own.Name}}, nil); err != nil {
		t.Fatal(err)
	}
	if flags.Has(base.Name) || !flags.Has(own.Name) {
		t.Error("not nested: got a flag of the base class or none of the own, want the own alone")
	}
}

type testClass struct {
	V         string `py:"v" default:"None"`
	Testflag6 string `py:"testflag6" default:"None"`

	odd *dataclass.OddValues
}

var testClassClass = dataclass.Of(func(c *testClass) **dataclass.OddValues { return &c.odd })

// linked returns the fields of an object after the flags were read. code is the object's initial v.
func linked(t *testing.T, code any, argv ...string) (v, testflag6 any) {
	t.Helper()
	flags := parse(t, absl.New(absl.Module{Name: "test", Flags: []absl.Flag{{Name: "testflag6", Default: ""}}}), argv...)
	fields := FieldsOf(testClassClass)
	links, err := NewLinks(fields, flags, []Link{{"v", "testflag6"}}, []string{"testflag6"})
	if err != nil {
		t.Fatal(err)
	}
	c := testClassClass.New()
	object := Object[testClass]{testClassClass, &c}
	if code != nil {
		if err := object.Set("v", code); err != nil {
			t.Fatal(err)
		}
	}
	if err := links.Update(object, fields, flags); err != nil {
		t.Fatal(err)
	}
	return object.Get("v"), object.Get("testflag6")
}

func TestUpstreamGflagUtils_test_link_flag(t *testing.T) {
	if v, flag := linked(t, nil); v != nil || flag != nil {
		t.Errorf("got %v and %v, want None", v, flag)
	}
	if v, flag := linked(t, nil, "--testflag6=a"); v != "a" || flag != "a" {
		t.Errorf("got %v and %v, want a", v, flag)
	}
	if v, flag := linked(t, "v", "--testflag6=b"); v != "v" || flag != "b" {
		t.Errorf("got %v and %v, want v of the code and b", v, flag)
	}
}

type testClassInherit struct {
	testClassBase

	V2 string `py:"v2" default:"'v2'"`
}

type testClassBase struct {
	V string `py:"v" default:"None"`

	Odd *dataclass.OddValues `py:"-"`
}

func TestUpstreamGflagUtils_test_link_flag_inheritance(t *testing.T) {
	class := dataclass.Of(func(c *testClassInherit) **dataclass.OddValues { return &c.Odd })
	flags := parse(t, absl.New(absl.Module{Name: "test", Flags: []absl.Flag{{Name: "testflag7", Default: ""}}}), "--testflag7=a")
	c, fields := class.New(), FieldsOf(class)
	if err := (Links{{"v", "testflag7"}}).Update(Object[testClassInherit]{class, &c}, fields, flags); err != nil {
		t.Fatal(err)
	}
	if c.V != "a" || c.V2 != "v2" {
		t.Errorf("got %+v, want a and v2", c)
	}
}
