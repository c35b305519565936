package summaries_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: an event file equals that of TensorFlow's own writer, and TensorBoard can read it. Reading
// a damaged file gives the events before the damage (TRN-2.3).

// written returns the name and content of an event file with three steps.
func written(t *testing.T) (name string, content []byte) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		w, err := summaries.NewFileWriter(c.Env, "logs/eval")
		c.Must(err)
		for step, loss := range []float64{0.5, 0.25, 0.125} {
			c.Must(summaries.BaseRunner{}.WriteSummary([]summaries.Log{{Tag: "loss", Value: loss}, {Tag: "step", Value: step}}, w, int64(step)*100))
		}
		c.Must(w.Close())
		name = pysem.Basename(w.Path())
		content, err = c.Env.Files.ReadFile(w.Path())
		c.Must(err)
		if err := w.AddSummary(&framework.Summary{}, 1); pysem.TypeOf(err) != "FailedPreconditionError" {
			t.Errorf("adding to a closed file: got %v, want FailedPreconditionError", err)
		}
	})
	return name, content
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	name, content := written(t)
	if !strings.HasPrefix(name, "events.out.tfevents.") || !strings.HasSuffix(name, ".host") || len(strings.Split(name, ".")[3]) != 10 {
		t.Errorf("got the name %s, want events.out.tfevents.<ten digits>.host", name)
	}
	events, err := summaries.Read(content)
	if err != nil || len(events) != 4 || events[0].GetFileVersion() != "brain.Event:2" {
		t.Fatalf("got %v, error %v, want a version and three summaries", events, err)
	}
	var losses []float32
	for _, e := range events[1:] {
		losses = append(losses, e.GetSummary().Value[0].GetSimpleValue())
	}
	if diff := cmp.Diff([]float32{0.5, 0.25, 0.125}, losses); diff != "" {
		t.Errorf("losses (-want +got):\n%s", diff)
	}
}

func TestMetadataOfATagIsWrittenOnce(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		w, err := summaries.NewFileWriter(c.Env, "logs")
		c.Must(err)
		given := &framework.Summary{Value: []*framework.Summary_Value{{Tag: "x", Metadata: &framework.SummaryMetadata{DisplayName: "X"}}}}
		c.Must(w.AddSummary(given, 1))
		c.Must(w.AddSummary(given, 2))
		c.Must(w.Close())
		content, err := c.Env.Files.ReadFile(w.Path())
		c.Must(err)
		events, err := summaries.Read(content)
		c.Must(err)
		if first, second := events[1].GetSummary().Value[0].Metadata, events[2].GetSummary().Value[0].Metadata; first.GetDisplayName() != "X" || second != nil {
			t.Errorf("got the metadata %v, then %v, want it once", first, second)
		}
		if given.Value[0].Metadata == nil {
			t.Error("the caller's summary has lost its metadata")
		}
	})
}

func TestDamageLosesNothingBefore(t *testing.T) {
	_, content := written(t)
	whole, err := summaries.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	for n := range content {
		events, err := summaries.Read(content[:n])
		if diff := cmp.Diff(whole[:len(events)], events, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%d bytes (-want +got):\n%s", n, diff)
		}
		var damage *tfrecord.DamageError
		if whole := errors.As(err, &damage); !whole && err != nil {
			t.Errorf("%d bytes: got %v, want a DamageError", n, err)
		}
	}
	other := tfrecord.Append(nil, []byte("no event"))
	other = append(other, content...)
	events, err := summaries.Read(other)
	if err == nil || !strings.HasPrefix(err.Error(), "record 0: found 8 bytes that are no tensorflow.Event: ") || len(events) != len(whole) {
		t.Errorf("got %d events, error %v, want all %d and an error of record 0", len(events), err, len(whole))
	}
	if _, err := summaries.Read(content[frame(t, content):]); err == nil || err.Error() != `record 0: found the version "", want brain.Event:2` {
		t.Errorf("a file without a version: got %v", err)
	}
}

// frame returns the length in bytes of the first record.
func frame(t *testing.T, content []byte) int {
	t.Helper()
	events, err := summaries.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	return proto.Size(events[0]) + tfrecord.Overhead
}

const readScript = `
import json, sys
from tensorboard.backend.event_processing import event_accumulator
import tensorflow as tf
a = event_accumulator.EventAccumulator(sys.argv[1]).Reload()
scalars = {t: [[s.step, s.value] for s in a.Scalars(t)] for t in a.Tags()["scalars"]}
versions = [e.file_version for e in tf.compat.v1.train.summary_iterator(sys.argv[1]) if e.file_version]
print(json.dumps([scalars, versions]))
`

func TestTensorBoardReadsIt(t *testing.T) {
	python := pythontest.TensorFlow(t)
	name, content := written(t)
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := pythontest.Command(t, python, "-c", readScript, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var shown any
	if err := json.Unmarshal(got, &shown); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	pairs := func(values ...float64) (list []any) {
		for i, v := range values {
			list = append(list, []any{float64(i) * 100, v})
		}
		return list
	}
	want := []any{map[string]any{"loss": pairs(0.5, 0.25, 0.125), "step": pairs(0, 1, 2)}, []any{"brain.Event:2"}}
	if diff := cmp.Diff(any(want), shown); diff != "" {
		t.Errorf("TensorBoard (-want +shown):\n%s", diff)
	}
}

// writeScript makes TensorFlow write the same events, all with one time. The test compares the
// file.
const writeScript = `
import glob, sys, tensorflow as tf
tf.compat.v1.disable_eager_execution()
w = tf.compat.v1.summary.FileWriter(sys.argv[1])
for step, loss in enumerate([0.5, 0.25, 0.125]):
    w.add_event(tf.compat.v1.Event(wall_time=1.0, step=step * 100, summary=tf.compat.v1.Summary(
        value=[tf.compat.v1.Summary.Value(tag="loss", simple_value=loss), tf.compat.v1.Summary.Value(tag="step", simple_value=step)])))
w.close()
print(glob.glob(sys.argv[1] + "/*")[0])
`

func TestRecordsAreThoseOfTensorFlow(t *testing.T) {
	python, dir := pythontest.TensorFlow(t), t.TempDir()
	out, err := pythontest.Command(t, python, "-c", writeScript, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	_, ours := written(t)
	if diff := cmp.Diff(timeless(t, theirs), timeless(t, ours), protocmp.Transform()); diff != "" {
		t.Errorf("events without times (-TensorFlow's +ours):\n%s", diff)
	}
}

// timeless returns the events of a file with their times removed.
func timeless(t *testing.T, content []byte) []*util.Event {
	t.Helper()
	events, err := summaries.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		e.WallTime = 0
	}
	return events
}

func FuzzRead(f *testing.F) {
	f.Add(tfrecord.Append(nil, []byte{0x1a, 13, 'b', 'r', 'a', 'i', 'n', '.', 'E', 'v', 'e', 'n', 't', ':', '2'}))
	f.Add(tfrecord.Append(nil, []byte("x"))[:14])
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := summaries.Read(data)
		if err == nil && len(data) > 0 && events[0].GetFileVersion() == "" {
			t.Errorf("%x: got %v without an error", data, events)
		}
	})
}
