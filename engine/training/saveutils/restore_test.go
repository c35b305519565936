package saveutils_test

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// Goal: restoring is right where the recorded cases of PartialRecoverySaver.restore (TRN-2.12) do
// not reach: processes that export, sessions that fail, and data that cannot be read back.

// restoring records which devices are restored, one list for each restore.
type restoring struct {
	indexFiles
	restored [][]string
}

func (r *restoring) Devices() []string {
	return []string{"", saveutils.PSDevice(0), saveutils.PSDevice(1)}
}

func (r *restoring) Restore(_ session.Session, _ string, devices []string) error {
	r.restored = append(r.restored, devices)
	return nil
}

func (r *restoring) GlobalStep(string) (int64, error) { return 7, nil }

func restoringSaver(options saveutils.SaverOptions) (*saveutils.PartialRecoverySaver, *restoring, *env.Env) {
	e := inMemory(map[string]string{"/m/model.ckpt-1.index": "", "/m/checkpoint": "model_checkpoint_path: \"model.ckpt-1\"\n"})
	data := &restoring{indexFiles: indexFiles{e.Files}}
	return saveutils.NewPartialRecoverySaver(e, data, options), data, e
}

var firstCheckpoint = pysem.Some("/m/model.ckpt-1")

func TestAProcessThatExportsRestoresWhateverIsToBeCleared(t *testing.T) {
	cleared := 0
	clear := &saveutils.ClearNN{Init: func(session.Session) error { cleared++; return nil }}
	saver, data, _ := restoringSaver(saveutils.SaverOptions{ClearNN: clear, Exporting: true})
	if err := saver.Restore(session.NewMemory(), firstCheckpoint); err != nil || cleared != 0 || len(data.restored) != 1 {
		t.Errorf("got %v, cleared %d times, restored %v, want it restored", err, cleared, data.restored)
	}
	if err := saver.Restore(session.NewMemory(), pysem.OptString{}); err == nil || err.Error() != "ValueError: Can't load save_path when it is None." {
		t.Errorf("None: got %v, want a ValueError", err)
	}
}

// Goal: if the session fails while the monitor asks the PS for their marks, nothing is restored.
func TestASessionThatFailsRestoresNothing(t *testing.T) {
	monitor := saveutils.NewPSMonitor(2)
	saver, data, _ := restoringSaver(saveutils.SaverOptions{Monitor: monitor})
	s := session.NewMemory()
	s.Before = func([]session.Op) error { return session.Raise("UnavailableError", "no PS") }
	for name, err := range map[string]error{"restore": saver.Restore(s, firstCheckpoint), "setup": saver.SetupPSInitializedState(s)} { //lint:ordered each by itself
		if pysem.TypeOf(err) != "UnavailableError" || len(data.restored) != 0 {
			t.Errorf("%s: got %v, restored %v, want an UnavailableError and nothing restored", name, err, data.restored)
		}
	}
	s.Before = nil
	if err := saver.SetupPSInitializedState(s); err != nil {
		t.Fatal(err)
	}
	if err := saver.Restore(s, firstCheckpoint); err != nil || !slices.Equal(data.restored[0], []string{""}) {
		t.Errorf("got %v %v, want only what is on no PS", err, data.restored)
	}
}

func TestASaverWithoutReadableDataRestoresNothing(t *testing.T) {
	e := inMemory(nil)
	saver := saveutils.NewPartialRecoverySaver(e, indexFiles{e.Files}, saveutils.SaverOptions{})
	if err := saver.Restore(session.NewMemory(), firstCheckpoint); err != nil {
		t.Errorf("got %v, want nothing done, as of an empty saver", err)
	}
}

// mismatched is data from another graph. Restoring it fails with the error of TensorFlow's kernels.
type mismatched struct{ *restoring }

func (mismatched) Restore(session.Session, string, []string) error {
	return session.Raise("InvalidArgumentError", "Assign requires shapes of both tensors to match.")
}

// save_utils.py:1221.
func TestARestoreIntoAnotherGraphSaysSo(t *testing.T) {
	_, data, e := restoringSaver(saveutils.SaverOptions{})
	err := saveutils.NewPartialRecoverySaver(e, mismatched{data}, saveutils.SaverOptions{}).Restore(session.NewMemory(), firstCheckpoint)
	want := "InvalidArgumentError: Restoring from checkpoint failed. This is most likely due to a mismatch between the current graph and the graph from the checkpoint. Please ensure that you have not altered the graph expected based on the checkpoint. Original error:\n\nAssign requires shapes of both tensors to match."
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TRN-2.12, production values: cpu_training.py:1169-1177.
func TestTheIntervalOfATraining(t *testing.T) {
	none, n := pysem.OptInt{}, pysem.Some[int]
	for _, c := range []struct {
		name                           string
		secs, steps, modelSec, modelSt pysem.OptInt
		want                           saveutils.Interval
		wrong                          bool
	}{
		{name: "nothing", want: saveutils.Interval{Steps: 100000000}},
		{name: "seconds", secs: n(5), want: saveutils.Interval{Seconds: 5}},
		{name: "of the model", modelSt: n(7), want: saveutils.Interval{Steps: 7}},
		{name: "configuration first", secs: n(5), modelSec: n(9), want: saveutils.Interval{Seconds: 5}},
		{name: "0 says nothing", secs: n(0), modelSec: n(9), want: saveutils.Interval{Seconds: 9}},
		{name: "0 of the model counts", modelSec: n(0), want: saveutils.Interval{Seconds: 0}},
		{name: "both", secs: n(5), steps: n(6), wrong: true},
		{name: "one of each", secs: n(5), modelSt: n(6), wrong: true},
		{name: "0 and steps", secs: n(0), steps: n(6), modelSec: none, want: saveutils.Interval{Steps: 6}},
	} {
		got, err := saveutils.ChooseInterval(c.secs, c.steps, c.modelSec, c.modelSt)
		if (err != nil) != c.wrong || got != c.want {
			t.Errorf("%s: got %+v %v, want %+v", c.name, got, err, c.want)
		}
		if text := "ValueError: Can not provide both save_checkpoints_secs and save_checkpoints_steps."; c.wrong && err.Error() != text {
			t.Errorf("%s: got %v, want %s", c.name, err, text)
		}
	}
}

// Goal: clearing a model writes the file clear_nn with the reference's text (save_utils.py:1297).
func TestTheFlagOfAClearedModel(t *testing.T) {
	clear := &saveutils.ClearNN{Init: func(session.Session) error { return nil }}
	saver, data, e := restoringSaver(saveutils.SaverOptions{ClearNN: clear})
	if err := saver.Restore(session.NewMemory(), firstCheckpoint); err != nil || len(data.restored) != 0 {
		t.Fatalf("got %v, restored %v, want it cleared", err, data.restored)
	}
	if text, err := e.Files.ReadFile("/m/clear_nn"); err != nil || string(text) != "clean nn done!" {
		t.Errorf("got %q %v, want clean nn done!", text, err)
	}
}
