package jsonexport_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/rustport/jsonexport"
)

// Goal: whatever a checkpoint calls its tables, an export changes nothing outside its output.
// Method: export a table with any name, and compare the other files before and after.
func FuzzTables(f *testing.F) {
	for _, name := range []string{"emb", "user/emb", "..", "../emb", "../../emb", "a/../../..", "/emb", `..\emb`, "", "emb\x00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		files := envtest.New(map[string]string{
			"ckpt/checkpoint-7.json": strings.Replace(checkpoint, `"emb"`, string(quoted), 1), "emb.json": "kept", "other/emb.json": "kept",
		}, nil).Files
		before := treeOf(t, files, ".")
		o := jsonexport.Defaults()
		o.CheckpointPath, o.OutputPath = "ckpt", "out"
		_, failed := jsonexport.Export(files, time.Unix(0, 0), o, func(string) {})
		if failed != nil && strings.Contains(failed.Error(), "table: found") {
			if _, err := files.Stat("out"); err == nil {
				t.Errorf("%q is refused after the output was made", name)
			}
		}
		if err := files.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, treeOf(t, files, ".")); diff != "" {
			t.Errorf("table %q: files beside the output (-before +now):\n%s", name, diff)
		}
	})
}
