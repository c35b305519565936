package jsonexport_test

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/rustport/jsonexport"
)

// Goal: an export does what TRN-4.10 says, texts included (oracle: rust at f415ff3). Method:
// testdata/rust.json records runs of the Rust port's command, built with serde_json 1.0.154: files
// before, arguments, exit code, output, files written and files removed. Times in manifests are 0.
// Exports run over files in memory.

// recorded is a run of the Rust port's command, as testdata/rust.json records it.
type recorded struct {
	Name     string
	Files    map[string]string
	Args     []string
	Env      map[string]string
	Code     int
	Error    string
	Warnings []string
	Written  map[string]string
	Gone     []string
}

// options returns the export options that a case's arguments and environment ask for.
func (c recorded) options(t *testing.T) jsonexport.Options {
	t.Helper()
	o := jsonexport.Defaults()
	o.CheckpointPath, o.OutputPath = c.Env["MONOLITH_CHECKPOINT_PATH"], c.Env["MONOLITH_EXPORT_PATH"]
	for i := 0; i < len(c.Args); i++ {
		switch name := c.Args[i]; name {
		case "--quantize":
			o.Quantize = true
		case "--overwrite":
			o.Overwrite = true
		default:
			i++
			value := c.Args[i]
			switch name {
			case "-c":
				o.CheckpointPath = value
			case "-o":
				o.OutputPath = value
			case "-f", "--format":
				o.Format = jsonexport.Format(value)
			case "--model-version":
				o.ModelVersion = &value
			case "--signature-name":
				o.SignatureName = value
			case "--warmup-data-path":
				o.WarmupDataPath = value
			case "--quantize-bits":
				bits, err := strconv.ParseUint(value, 10, 8)
				if err != nil {
					t.Fatal(err)
				}
				o.QuantizeBits = uint8(bits)
			default:
				t.Fatalf("found %s, want a flag of the command", name)
			}
		}
	}
	return o
}

var cause = regexp.MustCompile(`(?s)^Error: (.*?)(?:\n\nCaused by:\n {4}(?:0: )?([^\n]*).*)?$`)

// message returns the error text of a case on one line, without the part from the operating system.
func (c recorded) message() string {
	m := cause.FindStringSubmatch(c.Error)
	if m == nil {
		return ""
	}
	text := m[1]
	if m[2] != "" {
		text += ": " + m[2]
	}
	if before, _, found := strings.Cut(text, " (os error"); found {
		text = before[:strings.LastIndex(before, ": ")]
	}
	return text
}

// treeOf returns the files below a directory with their contents. It lists an empty directory with
// a slash behind its name.
func treeOf(t *testing.T, files env.Files, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	names, err := files.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		below := path.Join(dir, name)
		info, err := files.Stat(below)
		if err != nil {
			t.Fatal(err)
		}
		if !info.Dir {
			text, err := files.ReadFile(below)
			if err != nil {
				t.Fatal(err)
			}
			tree[below] = string(text)
			continue
		}
		inside := treeOf(t, files, below)
		if len(inside) == 0 {
			tree[below+"/"] = ""
		}
		maps.Copy(tree, inside)
	}
	return tree
}

// sortedIn returns files for comparison. It splits up the metadata of models in one file, because
// its order is random in Rust.
func sortedIn(t *testing.T, files map[string]string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all[name] = files[name]
		if path.Base(name) != "model.bin" {
			continue
		}
		var whole any
		if err := json.Unmarshal([]byte(files[name]), &whole); err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(files[name], `"metadata":{"export_`)
		all[name] = []any{before, whole}
	}
	return all
}

func TestExportsAreTheRustPorts(t *testing.T) {
	var list []recorded
	text, err := os.ReadFile("testdata/rust.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) < 70 {
		t.Fatalf("testdata/rust.json: got %d cases, %v", len(list), err)
	}
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			files := envtest.New(c.Files, nil).Files
			before := treeOf(t, files, ".")
			var warnings []string
			_, err := jsonexport.Export(files, time.Unix(0, 0), c.options(t), func(text string) { warnings = append(warnings, text) })
			switch want := c.message(); {
			case c.Code == 0 && err != nil:
				t.Errorf("got %v, want no error", err)
			case c.Code != 0 && (err == nil || !strings.HasPrefix(err.Error(), want)):
				t.Errorf("got %v, want %s", err, want)
			}
			if diff := cmp.Diff(c.Warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			maps.DeleteFunc(before, func(name, _ string) bool { return slices.Contains(c.Gone, name) })
			maps.Copy(before, c.Written)
			want, got := sortedIn(t, before), sortedIn(t, treeOf(t, files, "."))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// checkpoint is a checkpoint file with one embedding table and two dense parameters.
const checkpoint = `{"version": 1, "global_step": 7, "timestamp": 1700000000,
 "hash_tables": [{"name": "emb", "dim": 2, "entries": {"10": [1, -0.3], "9": [0.25, 0]}, "metadata": {}}],
 "optimizers": [], "dense_params": {"w": [1, 0.5], "b": [0.1]}, "metadata": {"by": "a trainer"}}`

// Goal: an export can leave out embeddings. The Rust port's flags cannot ask for that, because
// there a switch that is on by default cannot be turned off.
func TestExportWithoutEmbeddings(t *testing.T) {
	files := envtest.New(map[string]string{"d/checkpoint-7.json": checkpoint}, nil).Files
	o := jsonexport.Defaults()
	o.CheckpointPath, o.OutputPath, o.IncludeEmbeddings = "d", "out", false
	report, err := jsonexport.Export(files, time.Unix(1700000060, 0), o, func(text string) { t.Error(text) })
	want := &jsonexport.Report{Checkpoint: "d/checkpoint-7.json", GlobalStep: 7, DenseParams: 2}
	if diff := cmp.Diff(want, report); err != nil || diff != "" {
		t.Errorf("%v, report (-want +got):\n%s", err, diff)
	}
	manifest, err := files.ReadFile("out/manifest.json")
	for _, want := range []string{`"embedding_tables": [],`, "\"dense_params\": [\n    \"b\",\n    \"w\"\n  ]", `"timestamp": 1700000060,`} {
		if err != nil || !strings.Contains(string(manifest), want) {
			t.Errorf("manifest: got %s, %v, want %s in it", manifest, err, want)
		}
	}
}

func TestANativeExportIsReadBack(t *testing.T) {
	files := envtest.New(map[string]string{"c": checkpoint}, nil).Files
	o := jsonexport.Defaults()
	o.CheckpointPath, o.OutputPath, o.Format = "c", "out", jsonexport.Native
	if _, err := jsonexport.Export(files, time.Unix(0, 0), o, func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	text, err := files.ReadFile("out/model.bin")
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonexport.Restore(text)
	want, wantErr := jsonexport.Restore([]byte(checkpoint))
	if err != nil || wantErr != nil {
		t.Fatal(err, wantErr)
	}
	if got.Metadata["by"] != "a trainer" || got.Metadata["export_source_checkpoint"] != "c" {
		t.Errorf("metadata: got %v", got.Metadata)
	}
	got.Metadata = want.Metadata
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// Goal: an export refuses to touch files outside its output, which the Rust port would overwrite or
// remove. SPEC.md lists these cases.
func TestExportsLeaveOtherFilesAlone(t *testing.T) {
	outside := strings.Replace(checkpoint, `"emb"`, `"../../emb"`, 1)
	for _, c := range []struct{ checkpoint, output, warmup, want string }{
		{"d/checkpoint-7.json", "d", "", "Failed to remove existing output directory: d: found d/checkpoint-7.json in it, want a directory without what is exported"},
		{"d", "d/", "", "Failed to remove existing output directory: d/: found d in it, want a directory without what is exported"},
		{"d", ".", "", "Failed to remove existing output directory: .: found d in it, want a directory without what is exported"},
		{"d", "w", envtest.Dir + "/w/x", "Failed to remove existing output directory: w: found " + envtest.Dir + "/w/x in it, want a directory without what is exported"},
		{"e", "out", "", `e: table: found "../../emb", want a name that stays in the output`},
		{"f", "out", "", `f: table: found "/emb", want a name that stays in the output`},
	} {
		before := map[string]string{"d/checkpoint-7.json": checkpoint, "w/x": "1", "e": outside, "f": strings.Replace(checkpoint, `"emb"`, `"/emb"`, 1)}
		files := envtest.New(before, nil).Files
		o := jsonexport.Defaults()
		o.CheckpointPath, o.OutputPath, o.WarmupDataPath, o.Overwrite = c.checkpoint, c.output, c.warmup, true
		_, err := jsonexport.Export(files, time.Unix(0, 0), o, func(string) {})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s to %s: got %v, want %s", c.checkpoint, c.output, err, c.want)
		}
		after := treeOf(t, files, ".")
		maps.DeleteFunc(after, func(name, _ string) bool { return strings.HasPrefix(name, "out/") })
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s to %s: files (-want +got):\n%s", c.checkpoint, c.output, diff)
		}
	}
}

func TestExportRefusesOtherFormats(t *testing.T) {
	files := envtest.New(map[string]string{"c": checkpoint, "latin": "\xff"}, nil).Files
	o := jsonexport.Defaults()
	o.CheckpointPath, o.OutputPath, o.Format = "c", "out", "zip"
	_, err := jsonexport.Export(files, time.Unix(0, 0), o, func(string) {})
	if want := `format: found "zip", want one of [saved-model onnx torch-script native]`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	o.CheckpointPath, o.OutputPath = "latin", "out2"
	_, err = jsonexport.Export(files, time.Unix(0, 0), o, func(string) {})
	if want := `Failed to restore checkpoint "latin": Deserialization error: stream did not contain valid UTF-8`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestStepOf(t *testing.T) {
	for _, c := range []struct {
		name string
		want uint64
	}{{"checkpoint-100.json", 100}, {"checkpoint-007.json", 7}, {"checkpoint-+5.json", 5}, {"checkpoint-18446744073709551615.json", 1<<64 - 1}} {
		if got, ok := jsonexport.StepOf(c.name); !ok || got != c.want {
			t.Errorf("%s: got %d, %t, want %d", c.name, got, ok, c.want)
		}
	}
	for _, name := range []string{"invalid.json", "checkpoint-abc.json", "checkpoint-.json", "checkpoint--1.json", "checkpoint-1.bin", "checkpoint-18446744073709551616.json", "checkpoint-++1.json"} {
		if got, ok := jsonexport.StepOf(name); ok {
			t.Errorf("%s: got %d, want no step", name, got)
		}
	}
}

func FuzzRestore(f *testing.F) {
	f.Add([]byte(checkpoint))
	f.Add([]byte(`{"version":1,"hash_tables":[{"entries":{"1.5":[]}}]}`))
	f.Add([]byte(`{"version":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := jsonexport.Restore(text)
		if (s == nil) != (err != nil) {
			t.Errorf("got %v and %v, want one of them", s, err)
		}
		if err == nil && !json.Valid(text) {
			t.Errorf("%q: got no error, want one: it is no JSON", text)
		}
	})
}
