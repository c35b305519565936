package infer

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// These examples are taken from upstream's util_test.cc.
const (
	exampleA = "features { feature { key: 'a' value { int64_list { value: 1 } } } }"
	exampleB = "features { feature { key: 'b' value { int64_list { value: 2 } } } }"
	exampleC = "features { feature { key: 'c' value { int64_list { value: 3 } } } }"
	otherC   = "features { feature { key: 'c' value { int64_list { value: 4 } } } }"
	exampleX = "features { feature { key: 'b' value { int64_list { value: 9 } } } feature { key: 'c' value { int64_list { value: 3 } } } }"
)

func list(examples ...string) string {
	text := ""
	for _, e := range examples {
		text += "examples { " + e + " } "
	}
	return text
}

// parsed returns an example as a graph would parse it. Of repeated fields the last one counts.
func parsed(t *testing.T, text string) *tfexample.Example {
	e := &tfexample.Example{}
	if err := textformat.Unmarshal(text, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestMirroredExamples mirrors upstream's InputUtilTest. want lists the examples that the graph
// gets, each given as a context and an example.
func TestMirroredExamples(t *testing.T) {
	for _, row := range []struct {
		name, input string
		want        [][]string
		err         string
	}{
		{name: "util_test.cc:Empty_KindNotSet", err: "INVALID_ARGUMENT: Input is empty."},
		{name: "util_test.cc:Empty_ExampleList", input: "example_list {}", err: "INVALID_ARGUMENT: Input is empty."},
		{name: "util_test.cc:Empty_ExampleListWithContext", input: "example_list_with_context {}", err: "INVALID_ARGUMENT: Input is empty."},
		{name: "util_test.cc:ExampleList", input: "example_list { " + list(exampleA, exampleB) + "}", want: [][]string{{exampleA}, {exampleB}}},
		{name: "util_test.cc:ExampleListWithContext", input: "example_list_with_context { " + list(exampleA, exampleB) + "context { " + exampleC + " } }",
			want: [][]string{{exampleC, exampleA}, {exampleC, exampleB}}},
		{name: "util_test.cc:ExampleListWithOverridingContext", input: "example_list_with_context { " + list(otherC, exampleX) + "context { " + exampleC + " } }",
			want: [][]string{{exampleC, otherC}, {exampleC, exampleX}}},
		{name: "util_test.cc:ExampleListWithContext_NoContext", input: "example_list_with_context { " + list(exampleA, exampleB) + "}",
			want: [][]string{{exampleA}, {exampleB}}},
		{name: "util_test.cc:ExampleListWithContext_OnlyContext", input: "example_list_with_context { context { " + exampleC + " } }",
			err: "INVALID_ARGUMENT: Input is empty."},
	} {
		t.Run(row.name, func(t *testing.T) {
			input := &apis.Input{}
			if err := textformat.Unmarshal(row.input, input); err != nil {
				t.Fatal(err)
			}
			got, failed := examplesTensor(input)
			if failed != nil {
				if failed.Error() != row.err {
					t.Errorf("got %v, want %s", failed, row.err)
				}
				return
			}
			if want := []int64{int64(len(row.want))}; !slices.Equal(got.Shape(), want) || row.err != "" {
				t.Fatalf("got shape %v and no error, want %v, %q", got.Shape(), want, row.err)
			}
			for i, parts := range row.want {
				want := &tfexample.Example{}
				for _, part := range parts {
					proto.Merge(want, parsed(t, part))
				}
				merged := &tfexample.Example{}
				if err := proto.Unmarshal(got.Bytes(i), merged); err != nil || !proto.Equal(merged, want) {
					t.Errorf("example %d: got %v (%v), want %v", i, merged, err, want)
				}
			}
		})
	}
}

// TestMirroredModelSpec mirrors the cases of upstream's ModelSpecTest that concern this package: a
// request without a signature name gets the default signature.
func TestMirroredModelSpec(t *testing.T) {
	m := New(nil, Options{Name: "foo", Version: 1})
	for _, row := range [][2]string{
		{"", "foo 1 serving_default"},          // util_test.cc:EmptySignature
		{"classify_sig", "foo 1 classify_sig"}, // util_test.cc:AllOptionalSet
	} {
		spec := m.resolved(row[0])
		if got := fmt.Sprintf("%s %d %s", spec.GetName(), spec.GetVersion().GetValue(), spec.GetSignatureName()); got != row[1] {
			t.Errorf("got %s, want %s", got, row[1])
		}
	}
}
