package saveutils_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a crash during a save leaves usable files (TRN-2.12), and a damaged file makes no earlier
// good file unusable. Recorded cases cannot show this. Method: a disk that fails at a write, and
// fuzzing.

// indexFiles is data whose checkpoints consist of an index file alone.
type indexFiles struct{ files env.Files }

func (d indexFiles) Write(_ session.Session, prefix string) error {
	return session.FileError(prefix, d.files.WriteFile(prefix+checkpoints.IndexSuffix, nil))
}
func (d indexFiles) WriteMetaGraph(path string) error {
	return session.FileError(path, d.files.WriteFile(path, nil))
}

// failingDisk fails from its n-th change on, as if the process had crashed there.
type failingDisk struct {
	env.Files
	left int
}

func (d *failingDisk) fail() error {
	if d.left--; d.left < 0 {
		return fmt.Errorf("the process is gone")
	}
	return nil
}

func (d *failingDisk) WriteFile(path string, data []byte) error {
	if err := d.fail(); err != nil {
		return err
	}
	return d.Files.WriteFile(path, data)
}

func (d *failingDisk) Rename(from, to string) error {
	if err := d.fail(); err != nil {
		return err
	}
	return d.Files.Rename(from, to)
}

func (d *failingDisk) RemoveAll(path string) error {
	if err := d.fail(); err != nil {
		return err
	}
	return d.Files.RemoveAll(path)
}

func (d *failingDisk) Remove(path string) error {
	if err := d.fail(); err != nil {
		return err
	}
	return d.Files.Remove(path)
}

// Goal (INV-4 of TRN-6.5): wherever a save crashes, the file "checkpoint" lists only checkpoints
// that exist, and the exempt one exists. Method: a third save by a saver that keeps two.
func TestACrashWithinASaveLosesNoCheckpointThatIsListed(t *testing.T) {
	// a save changes the index, writes and renames the list, deletes two files, and writes the
	// graph; one is to spare
	const changes = 7
	for crash := range changes {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			disk := &failingDisk{c.Env.Files, 1 << 30}
			e := *c.Env
			e.Files = disk
			c.Must(e.Files.MkdirAll("m"))
			saver := saveutils.NewPartialRecoverySaver(&e, indexFiles{disk}, saveutils.SaverOptions{
				MaxToKeep: 2, KeepEvery: 24 * time.Hour, Exempt: []string{"model.ckpt-1"},
			})
			for step := range int64(3) {
				c.Must(saver.Save(nil, "m/model.ckpt", step+1, true))
			}
			disk.left = crash
			failed := saver.Save(nil, "m/model.ckpt", 4, true) != nil
			state, err := checkpoints.State(c.Env, "m", checkpoints.Filename)
			c.Must(err)
			if failed != (crash < changes-1) {
				t.Errorf("crash at change %d: got a failed save %v", crash, failed)
			}
			if !slices.Contains(state.AllModelCheckpointPaths, "m/model.ckpt-1") {
				t.Errorf("crash at change %d: %v lists no exempt checkpoint", crash, state.AllModelCheckpointPaths)
			}
			for _, path := range state.AllModelCheckpointPaths {
				if !checkpoints.Exists(c.Env.Files, path) {
					t.Errorf("crash at change %d: %s is listed and gone", crash, path)
				}
			}
		})
	}
}

// silent is a log that keeps nothing.
type silent struct{}

func (silent) Enabled(env.Level) bool         { return false }
func (silent) Logf(env.Level, string, ...any) {}

// inMemory returns an environment with these files in memory, by path.
func inMemory(files map[string]string) *env.Env {
	e := envtest.New(files, nil)
	e.Log, e.Clock = silent{}, envtest.Clock{}
	return e
}

// FuzzMonolithCheckpointState: Goal: parsing any text gives a state, no state, or an error that
// Python raises. A state that was read and written again reads the same.
func FuzzMonolithCheckpointState(f *testing.F) {
	for _, text := range []string{"", "exempt_model_checkpoint_paths: \"a-1\"\n", "builtin_hash_table_type: 9\n", "\xff", "x", "last_checkpoint_save_timestamp: 12"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := inMemory(map[string]string{"m/monolith_checkpoint": text})
		state, err := saveutils.MonolithCheckpointState(e, "m", saveutils.StateReading{})
		if err != nil {
			if pysem.TypeOf(err) != "UnicodeDecodeError" {
				t.Fatalf("got %v, want a UnicodeDecodeError at most", err)
			}
			return
		}
		if state == nil {
			return
		}
		if err := saveutils.WriteMonolithCheckpointState(e.Files, "m", state); err != nil {
			t.Fatal(err)
		}
		again, err := saveutils.MonolithCheckpointState(e, "m", saveutils.StateReading{})
		if err != nil || !slices.Equal(again.GetExemptModelCheckpointPaths(), state.GetExemptModelCheckpointPaths()) {
			t.Fatalf("read again: got %v %v, want %v", again, err, state)
		}
	})
}

// FuzzCheckpointState checks for the file "checkpoint" what FuzzMonolithCheckpointState checks for
// monolith_checkpoint.
func FuzzCheckpointState(f *testing.F) {
	for _, text := range []string{"", "model_checkpoint_path: \"m-1\"\nall_model_checkpoint_paths: \"m-1\"\n", "\xff", "model_checkpoint_path: \"m", "x: 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := inMemory(map[string]string{"m/checkpoint": text})
		state, err := checkpoints.State(e, "m", checkpoints.Filename)
		if err != nil {
			if typ := pysem.TypeOf(err); typ != "ValueError" && typ != "UnicodeDecodeError" {
				t.Fatalf("got %v, want a ValueError or UnicodeDecodeError at most", err)
			}
			return
		}
		if state != nil && state.ModelCheckpointPath == "" {
			t.Fatal("got a state without a current checkpoint")
		}
	})
}

// Cost: a save among 10, 100 and 1,000 kept checkpoints.
func BenchmarkSave(b *testing.B) {
	for _, kept := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("kept=%d", kept), func(b *testing.B) {
			e := inMemory(map[string]string{"m/monolith_checkpoint": ""})
			saver := saveutils.NewPartialRecoverySaver(e, indexFiles{e.Files}, saveutils.SaverOptions{MaxToKeep: kept, KeepEvery: time.Hour})
			step := int64(0)
			for b.Loop() {
				step++
				if err := saver.Save(nil, "m/model.ckpt", step, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
