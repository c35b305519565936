package absl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem/absl"
)

// These tests cover what the recorded cases agent_client.main/flags-* of vectors/golden do not.
// Those cases compare with absl how command lines are parsed.

func flags() *absl.Flags {
	return absl.New(absl.Module{Name: "main", Flags: []absl.Flag{
		{Name: "model_dir", Help: "directory"},
		{Name: "task", Kind: absl.Integer, Default: 0, Help: "number"},
		{Name: "kind", Kind: absl.Enum, Default: "ps", Words: []string{"ps", "entry"}, Help: "what"},
	}})
}

func TestWhatIsNoFlagIsReturned(t *testing.T) {
	f := flags()
	rest, err := f.Parse(envtest.New(nil, nil).Files, []string{"a", "--task=1", "-", "b", "--", "--task=2"})
	if diff := cmp.Diff([]string{"a", "-", "b", "--task=2"}, rest); diff != "" || err != nil || f.Int("task") != 1 {
		t.Errorf("task %d, %v (-want +got):\n%s", f.Int("task"), err, diff)
	}
}

func TestFlagsAreReadFromFilesThatNameOthers(t *testing.T) {
	files := envtest.New(map[string]string{"a": "--task=1\n// no flag\n--flagfile=b\n", "b": "--flagfile=a\n\n # as it stands\n--kind=entry"}, nil).Files
	f := flags()
	rest, err := f.Parse(files, []string{"--flagfile", "a", "--model_dir=/d"})
	if err != nil || f.Int("task") != 1 || f.Text("kind").V != "entry" || f.Text("model_dir").V != "/d" || fmt.Sprint(rest) != "[# as it stands]" {
		t.Errorf("got task %d, kind %v, model_dir %v, rest %q, error %v", f.Int("task"), f.Text("kind"), f.Text("model_dir"), rest, err)
	}
}

func TestAnUnknownFlagIsToldWithTheNearest(t *testing.T) {
	for _, c := range []struct{ argument, want string }{
		{"--modeldir", "Unknown command line flag 'modeldir'. Did you mean: model_dir ?"},
		{"--xxxxxx", "Unknown command line flag 'xxxxxx'"},
		{"--x", "Unknown command line flag 'x'"},
	} {
		_, err := flags().Parse(envtest.New(nil, nil).Files, []string{c.argument})
		var usage *absl.UsageError
		if !errors.As(err, &usage) || usage.Text != c.want {
			t.Errorf("%s: got %v, want %s", c.argument, err, c.want)
		}
	}
}

func TestTwoFlagsOfOneNameArePanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Q60: got no panic, want one")
		}
	}()
	absl.New(absl.Module{Flags: []absl.Flag{{Name: "a"}}}, absl.Module{Flags: []absl.Flag{{Name: "a"}}})
}

func ExampleFlags_Parse() {
	f := flags()
	_, err := f.Parse(envtest.New(nil, nil).Files, []string{"--task", "0x10", "-kind=entry"})
	fmt.Println(f.Int("task"), f.Text("kind"), f.Given("model_dir"), err)
	_, err = f.Parse(envtest.New(nil, nil).Files, []string{"--kind=dense"})
	fmt.Println(err)
	// Output:
	// 16 entry false <nil>
	// flag --kind=dense: value should be one of <ps|entry>
}
