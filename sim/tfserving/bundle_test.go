package tfserving

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
)

func realModel(t testing.TB, name string) string {
	data, err := os.ReadFile("savedmodel/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// firstStatus loads a version made of the given files, and returns its state and status as text.
func firstStatus(t *testing.T, o Options, files map[string]string) string {
	host := newTestHost()
	//lint:ordered the files do not know of each other
	for name, text := range files {
		host.disk.write("/m/1/"+name, text)
	}
	host.disk.mkdir("/m/1")
	o.ModelName, o.ModelBasePath, o.MaxNumLoadRetries = "a", "/m", 0
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	got, err := s.Status(env.ModelSpec{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s: %s", got[0].State, got[0].Status.Code, got[0].Status.Message)
}

func TestWhatASavedModelHoldsDecidesWhatItIs(t *testing.T) {
	const available = "AVAILABLE OK: "
	noTags := "END NOT_FOUND: Could not find meta graph def matching supplied tags: { serve }. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`"
	module := realModel(t, "module/saved_model.pb")
	broken := strings.Repeat("\xff", 40)
	for _, row := range []struct {
		name, file, data, lenient, strict string
	}{
		{"a real model", "saved_model.pb", module, available, available},
		{"a real model in text format", "saved_model.pbtxt", realModel(t, "half_plus_two_text/saved_model.pbtxt"), available, available},
		{"a description", "saved_model.pb", `{"signatures": {}}`, available, available},
		{"a description that is no JSON", "saved_model.pb", `{"signatures": `, available, "END OUT_OF_RANGE: Read less bytes than requested"},
		{"a stand-in", "saved_model.pb", "graph", available, "END OUT_OF_RANGE: Read less bytes than requested"},
		{"nothing", "saved_model.pb", "", available, noTags},
		{"half of a real model", "saved_model.pb", module[:len(module)/2], available, "END OUT_OF_RANGE: Read less bytes than requested"},
		{"a broken file", "saved_model.pb", broken, available, "END DATA_LOSS: Can't parse /m/1/saved_model.pb as binary proto"},
		{"a broken text", "saved_model.pbtxt", "meta_graphs }", available, "END DATA_LOSS: Can't parse /m/1/saved_model.pbtxt as text proto"},
		{"a description with other tags", "saved_model.pb", `{"tags": ["train"]}`, noTags, noTags},
	} {
		o := DefaultOptions(Profile24)
		if got := firstStatus(t, o, map[string]string{row.file: row.data}); got != row.lenient {
			t.Errorf("%s: got %q, want %q", row.name, got, row.lenient)
		}
		o.StrictBundles = true
		if got := firstStatus(t, o, map[string]string{row.file: row.data}); got != row.strict {
			t.Errorf("%s, strict: got %q, want %q", row.name, got, row.strict)
		}
	}
}

func TestHalfCopiedVersions(t *testing.T) {
	o := DefaultOptions(Profile24)
	got := firstStatus(t, o, map[string]string{"variables/variables.index": "v"})
	if want := "END NOT_FOUND: Could not find SavedModel .pb or .pbtxt at supplied export directory path: /m/1"; got != want {
		t.Errorf("without a saved_model.pb: got %q, want %q", got, want)
	}
}

func TestTagsChooseTheMetaGraph(t *testing.T) {
	types := realModel(t, "types/saved_model.pb")
	for _, row := range []struct {
		tags []string
		want string
	}{
		{[]string{"serve"}, "serving_default,sparse,sparse_out"},
		{[]string{"gpu", "serve"}, "on_gpu"},
		{[]string{"serve", "serve"}, "serving_default,sparse,sparse_out"},
	} {
		o := DefaultOptions(Profile24)
		o.SavedModelTags = row.tags
		server := newBundleServer(o)
		s, failed := exportReader{server, server.adapterOf("a")}.parseBundle(newTestDisk(), servable{"a", 1}, "/m/1/saved_model.pb", []byte(types))
		if failed != nil {
			t.Errorf("tags %q: %v", row.tags, failed)
			continue
		}
		if got := strings.Join(sortedKeys(s.Signatures), ","); got != row.want {
			t.Errorf("tags %q: got signatures %s, want %s", row.tags, got, row.want)
		}
	}
}

func newBundleServer(o Options) *Server { return New(o, newTestHost()) }

func TestModelsWithoutTheirVariables(t *testing.T) {
	for _, row := range []struct {
		profile       Profile
		model, params string
		want          string
	}{
		{Profile24, "half_plus_two", "inputs { key: 'x' value { dtype: DT_FLOAT } }",
			"FAILED_PRECONDITION: Attempting to use uninitialized value a\n\t [[{{node a/read}}]]"},
		{ProfileHead, "module", "inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 2 } } } }",
			"FAILED_PRECONDITION: Could not find variable w. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. Debug info: container=localhost, status error message=Container localhost does not exist. (Could not find resource: localhost/w)"},
		{Profile24, "module", "inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 2 } } } }",
			"FAILED_PRECONDITION: Error while reading resource variable w from Container: localhost. This could mean that the variable was uninitialized. Not found: Container localhost does not exist. (Could not find resource: localhost/w)"},
	} {
		c := requestCase{model: realModel(t, row.model+"/saved_model.pb"), predict: spec("") + row.params, want: row.want}
		t.Run(fmt.Sprintf("%s %s", row.profile, row.model), func(t *testing.T) { c.run(t, row.profile) })
	}
}

func TestSparseTensorsCannotBeFed(t *testing.T) {
	const want = "INVALID_ARGUMENT: Tensor :0, specified in either feed_devices or fetch_devices was not found in the Graph"
	types := realModel(t, "types/saved_model.pb")
	runCases(t, []requestCase{
		{name: "input", model: types, want: want, predict: spec("sparse") + "inputs { key: 's' value { dtype: DT_FLOAT } }"},
		{name: "output", model: types, want: want, predict: spec("sparse_out") + "inputs { key: 'long' value { dtype: DT_INT64 tensor_shape { dim { size: 3 } } } }"},
	})
}

func TestAThousandLoadedModelsAreSmall(t *testing.T) {
	const models, most = 1000, 64 << 10
	data := []byte(realModel(t, "half_plus_two/saved_model.pb"))
	s := newBundleServer(DefaultOptions(Profile24))
	kept, reader := make([]*Bundle, models), exportReader{s, s.adapterOf("a")}
	before := heapBytes()
	for i := range kept {
		var err *env.RPCError
		file := append([]byte(nil), data...)
		if kept[i], err = reader.parseBundle(newTestDisk(), servable{fmt.Sprintf("model:ps_%d", i), 1}, "/m/1/saved_model.pb", file); err != nil {
			t.Fatal(err)
		}
	}
	each := (heapBytes() - before) / models
	runtime.KeepAlive(kept)
	if each <= 0 || each > most {
		t.Errorf("one of %d loaded models keeps %d bytes, want at most %d", models, each, most)
	}
}

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
