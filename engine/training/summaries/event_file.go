// Package summaries writes what a training job reports about its steps. It has the base class of
// runners, which writes summaries, and the event files that TensorBoard reads.
//
// Two things to use first:
//
//   - [BaseRunner] writes the logs of a step (base_runner.py).
//   - [FileWriter] is the file that they are written to.
//
// [Read] reads such a file, whose records are those of package tfrecord. To change how a file is
// named: event_file.go.
//
// Unstable: any commit may change it.
package summaries

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/gfile"
)

// fileVersion is the content of the first record of an event file (events_writer.cc of TensorFlow
// 2.4).
const fileVersion = "brain.Event:2"

// FileWriter writes an event file (tf.compat.v1.summary.FileWriter).
type FileWriter struct {
	e      *env.Env
	path   string
	ahead  []byte
	tagged map[string]bool
	closed bool
}

// NewFileWriter creates the directory and in it the file events.out.tfevents.<seconds>.<host>. The
// file's first record is its version.
func NewFileWriter(e *env.Env, dir string) (*FileWriter, error) {
	if err := gfile.MakeDirs(e.Files, dir); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("events.out.tfevents.%010d.%s", e.Clock.Now().Unix(), e.Host.Hostname())
	w := &FileWriter{e: e, path: pysem.JoinStrings(dir, name), tagged: map[string]bool{}}
	if err := w.Add(&util.Event{WallTime: w.now(), What: &util.Event_FileVersion{FileVersion: fileVersion}}); err != nil {
		return nil, err
	}
	return w, w.Flush()
}

// Path returns the path of the file.
func (w *FileWriter) Path() string { return w.path }

// now returns the time in seconds since the Unix epoch.
func (w *FileWriter) now() float64 {
	return float64(w.e.Clock.Now().UnixMicro()) / float64(time.Second/time.Microsecond)
}

// AddSummary adds the summary of a step. The metadata of a tag is written only the first time the
// tag occurs (writer.py of TensorFlow 2.4).
func (w *FileWriter) AddSummary(summary *framework.Summary, step int64) error {
	summary = proto.CloneOf(summary)
	for _, v := range summary.Value {
		switch {
		case v.Metadata == nil:
		case w.tagged[v.Tag]:
			v.Metadata = nil
		default:
			w.tagged[v.Tag] = true
		}
	}
	return w.Add(&util.Event{WallTime: w.now(), Step: step, What: &util.Event_Summary{Summary: summary}})
}

// Add adds an event to the memory of the writer. The next Flush writes it to the file.
func (w *FileWriter) Add(event *util.Event) error {
	if w.closed {
		return pysem.Raise("FailedPreconditionError", "%s is closed", w.path)
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(event)
	if err != nil {
		return err
	}
	w.ahead = tfrecord.Append(w.ahead, data)
	return nil
}

// Flush writes all added events to the file.
func (w *FileWriter) Flush() error {
	if len(w.ahead) == 0 {
		return nil
	}
	if err := w.e.Files.AppendFile(w.path, w.ahead); err != nil {
		return fmt.Errorf("event file %s: %w", w.path, err)
	}
	w.ahead = w.ahead[:0]
	return nil
}

// Close writes all added events to the file and closes it.
func (w *FileWriter) Close() error {
	w.closed = true
	return w.Flush()
}

// Read returns the events in a file's content. At damage, or in a file that is no event file, it
// stops and returns the events so far with an error. A record that is no event is an error too, but
// the records after it are still read.
func Read(content []byte) ([]*util.Event, error) {
	var events []*util.Event
	var problems error
	records := tfrecord.NewReader(bytes.NewReader(content))
	for n := 0; ; n++ {
		data, err := records.Next()
		if errors.Is(err, io.EOF) {
			return events, problems
		}
		if err != nil {
			return events, errors.Join(problems, err)
		}
		event := &util.Event{}
		if err := proto.Unmarshal(data, event); err != nil {
			problems = errors.Join(problems, fmt.Errorf("record %d: found %d bytes that are no tensorflow.Event: %w", n, len(data), err))
			continue
		}
		if n == 0 && !strings.HasPrefix(event.GetFileVersion(), "brain.Event:") {
			problems = errors.Join(problems, fmt.Errorf("record 0: found the version %q, want brain.Event:2", event.GetFileVersion()))
		}
		events = append(events, event)
	}
}

var _ Writer = (*FileWriter)(nil)
