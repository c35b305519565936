package savedmodel_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// These tests compare our reader with TensorFlow's own loaders on real SavedModels
// (testdata/record.py).

func loadJSON(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// read reads a recorded model from its binary file, or from its text file if there is no binary
// one.
func read(t testing.TB, model string, tags []string) (*savedmodel.Graph, error) {
	t.Helper()
	binary, err := os.ReadFile(filepath.Join("testdata", model, "saved_model.pb"))
	if err == nil {
		return savedmodel.Read(binary, tags)
	}
	text, err := os.ReadFile(filepath.Join("testdata", model, "saved_model.pbtxt"))
	if err != nil {
		t.Fatal(err)
	}
	return savedmodel.ReadText(text, tags)
}

func TestSignaturesAsTensorFlow(t *testing.T) {
	var index struct {
		Models map[string][]struct {
			Tags       []string
			Signatures map[string]string
		}
	}
	loadJSON(t, "index.json", &index)
	if len(index.Models) == 0 {
		t.Fatal("index.json names no model")
	}
	for _, model := range slices.Sorted(maps.Keys(index.Models)) {
		for _, graph := range index.Models[model] {
			t.Run(fmt.Sprintf("%s %v", model, graph.Tags), func(t *testing.T) {
				want := map[string]*tfcore.SignatureDef{}
				for _, name := range slices.Sorted(maps.Keys(graph.Signatures)) {
					want[name] = &tfcore.SignatureDef{}
					if err := textformat.UnmarshalKnown(graph.Signatures[name], want[name]); err != nil {
						t.Fatal(err)
					}
				}
				got, err := read(t, model, graph.Tags)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got.Signatures, protocmp.Transform()); diff != "" {
					t.Errorf("signatures (-want +got):\n%s", diff)
				}
			})
		}
		if _, err := read(t, model, []string{"serve", "tpu"}); !errors.Is(err, savedmodel.ErrNoTags) {
			t.Errorf("%s with other tags: got %v, want %v", model, err, savedmodel.ErrNoTags)
		}
	}
}

func TestVariablesAndShapesOfGraphs(t *testing.T) {
	for _, want := range []struct {
		model    string
		variable savedmodel.Variable
		shapes   bool
	}{
		{"half_plus_two", savedmodel.Variable{Name: "a"}, false},
		{"half_plus_two_text", savedmodel.Variable{Name: "a"}, false},
		{"module", savedmodel.Variable{Name: "w", Resource: true}, true},
		{"types", savedmodel.Variable{}, false},
	} {
		got, err := read(t, want.model, []string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		if got.Variable != want.variable || got.ChecksShapes != want.shapes {
			t.Errorf("%s: got %+v, checks shapes %t, want %+v", want.model, got.Variable, got.ChecksShapes, want)
		}
	}
}

// edit describes one way to damage a file, such as cutting it off or adding bytes.
type edit struct {
	Cut            *int
	First          byte
	Prefix, Suffix string
}

func (e edit) apply(t testing.TB, data []byte) []byte {
	data = append([]byte(nil), data...)
	if e.Cut != nil {
		data = data[:*e.Cut]
	}
	if e.First != 0 {
		data[0] = e.First
	}
	prefix, err := hex.DecodeString(e.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	suffix, err := hex.DecodeString(e.Suffix)
	if err != nil {
		t.Fatal(err)
	}
	return append(append(prefix, data...), suffix...)
}

func TestDamageAsTensorFlow(t *testing.T) {
	var recorded struct {
		Rows []struct {
			Edit edit
			Code rpcerrors.Code
		}
	}
	loadJSON(t, "damage.json", &recorded)
	data, err := os.ReadFile("testdata/module/saved_model.pb")
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range recorded.Rows {
		_, err := savedmodel.Read(row.Edit.apply(t, data), []string{"serve"})
		if got := codeOf(err); got != row.Code {
			t.Errorf("row %d: got %v (%v), want %v", i, got, err, row.Code)
		}
	}
}

func codeOf(err error) rpcerrors.Code {
	switch {
	case err == nil:
		return rpcerrors.OK
	case errors.Is(err, savedmodel.ErrNoGraph), errors.Is(err, savedmodel.ErrNoTags):
		return rpcerrors.NotFound
	case errors.Is(err, savedmodel.ErrTruncated):
		return rpcerrors.OutOfRange
	}
	return rpcerrors.DataLoss
}

// maxBytesPerModel limits the memory that a loaded model keeps, in bytes.
const maxBytesPerModel = 64 << 10

func TestAGraphKeepsLittleOfItsFile(t *testing.T) {
	const models = 1000
	data, err := os.ReadFile("testdata/half_plus_two/saved_model.pb")
	if err != nil {
		t.Fatal(err)
	}
	kept := make([]*savedmodel.Graph, models)
	before := heapBytes()
	for i := range kept {
		file := append([]byte(nil), data...) // a copy, because each case changes its own
		if kept[i], err = savedmodel.Read(file, []string{"serve"}); err != nil {
			t.Fatal(err)
		}
	}
	each := (heapBytes() - before) / models
	runtime.KeepAlive(kept)
	if each > maxBytesPerModel || each > int64(len(data)) {
		t.Errorf("one of %d models keeps %d bytes, want at most %d and less than its file of %d",
			models, each, maxBytesPerModel, len(data))
	}
}

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// FuzzRead checks that no data crashes the reader, and that equal data gives equal results.
func FuzzRead(f *testing.F) {
	for _, model := range []string{"half_plus_two", "module", "types"} {
		data, err := os.ReadFile(filepath.Join("testdata", model, "saved_model.pb"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte("graph"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := savedmodel.Read(data, []string{"serve"})
		if (first == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", first, err)
		}
		second, again := savedmodel.Read(data, []string{"serve"})
		if diff := cmp.Diff(first, second, protocmp.Transform()); diff != "" || !errors.Is(again, err) {
			t.Errorf("read twice: %v then %v (-first +second):\n%s", err, again, diff)
		}
	})
}
