// Package timeline writes down what happened in runs of clusters: as lines for people, as JSON
// lines for programs, and as a Chrome trace, which https://ui.perfetto.dev and chrome://tracing
// show.
//
// Two things to use first:
//
//   - [Create] begins a file in the form that its name asks for; [File.Begin] and [File.Observe]
//     fill it, [File.Close] puts it in its place.
//   - [Phrase] says in a few words what an observation is of.
//
// JSON lines have two kinds of objects. A line with "run" begins a run, of the number, name, path,
// line and seed that it has; path and line are those of a scenario. Every line after it is an
// observation of that run:
//
//	n           its number in the run, from 1
//	at_ns       virtual time in nanoseconds from the start of the run
//	who         a pod, "zookeeper", "operator" or "scenario"
//	what        "process.start", "zookeeper.create", "modelserver.state", "rpc", "log.info", ...
//	path, note  what it was done to, and what else there is to say
//	data        what was written into a znode
//	peer        the other side of a call
//	took_ns     how long it took until at_ns
//	id          the pid of the process, or the id of the session
//	because_of  the n of the observation that led to it
//
// Fields that are empty are left out. A Chrome trace has a process for each who of each run. Its
// threads hold the lives of processes, sessions, faults and the states of model versions as
// slices, calls as slices, everything else as slices of a microsecond, and an arrow from each
// cause to what it led to. Times are virtual. Equal runs have equal bytes in both forms.
//
// The observations must be those of a run with cluster.Spec.Detail, or there are neither calls nor
// causes. To change how something is worded look in phrase.go; the forms are in jsonlines.go and
// chrome.go.
//
// Unstable: any commit may change it.
package timeline

import (
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners"
)

// Run describes a run in a file. Path and Line say where its scenario begins. They are empty for a
// run without a scenario.
type Run struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
	Seed uint64 `json:"seed"`
}

// form is a file format in which runs are written.
type form interface {
	begin(run int, r Run)
	observe(n int, o *runners.Observation)
	end()
}

// File is an output file, written under a temporary name. Close renames it to its final name.
type File struct {
	out  *wholefile.File
	form form
	runs int
	seen int // number of observations of the present run so far
}

// Help says which file name selects which format.
const Help = "a .json file becomes a Chrome trace for ui.perfetto.dev, any other JSON lines"

// Create begins a file. It is a Chrome trace if the name ends in .json, and JSON lines otherwise.
// The error comes from the file system. The caller must call Close or Discard.
func Create(name string) (*File, error) {
	out, err := wholefile.Create(name)
	if err != nil {
		return nil, err
	}
	f := &File{out: out}
	if strings.HasSuffix(name, ".json") {
		f.form = newChrome(f.out)
	} else {
		f.form = newJSONLines(f.out)
	}
	return f, nil
}

// Begin begins a run. The following observations belong to it.
func (f *File) Begin(r Run) {
	f.runs++
	f.seen = 0
	f.form.begin(f.runs, r)
}

// Observe adds an observation to the current run. Observations must come in order.
func (f *File) Observe(o runners.Observation) {
	f.seen++
	f.form.observe(f.seen, &o)
}

// Close completes the file and gives it its final name. It returns the first write error. After an
// error, a previous file of that name is unchanged.
func (f *File) Close() error {
	f.form.end()
	return f.out.Close()
}

// Discard removes the temporary file. It does nothing after Close.
func (f *File) Discard() { f.out.Discard() }
