package timeline_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// Goal: a file is either complete or as it was before, and never half written. No temporary file
// stays in its folder.
func TestAFileIsThereWhenItIsClosed(t *testing.T) {
	for _, form := range []string{"trace.json", "trace.jsonl"} {
		dir := t.TempDir()
		name := filepath.Join(dir, form)
		write := func() *timeline.File {
			f, err := timeline.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			f.Begin(timeline.Run{Name: "a run", Seed: 1})
			f.Observe(runners.Observation{Pod: "shard0-replica0", Op: "process.start"})
			return f
		}
		holds := func(when string, old bool) {
			t.Helper()
			if got, err := os.ReadFile(name); err != nil || (string(got) == "old") != old {
				t.Errorf("%s %s: got %q, %v, want what was there before: %v", form, when, got, err, old)
			}
		}
		if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		f := write()
		holds("while it is written", true)
		f.Discard()
		holds("discarded", true)
		f = write()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f.Discard() // has no effect after the file was written
		holds("closed", false)
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("%s: got %v, %v, want the file alone", form, list, err)
		}
	}
}
