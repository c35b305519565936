package tfserving

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// testHost is a Host with a virtual clock and a disk in memory.
type testHost struct {
	now    time.Duration
	timers []*hostTimer // timers in the order in which they were set
	fired  int
	// onFired, when set, is called after every timer.
	onFired func()
	disk    *testDisk
	exit    func(code int, stdout string)
	logs    []string
	choose  func(site string, n int) int

	// hung makes each Look at the disk wait in looks until answer is called. apart makes each Look a
	// separate event at the same instant.
	hung, apart bool
	looks       []func()
}

type hostTimer struct {
	at time.Duration
	fn func()
}

func newTestHost() *testHost {
	return &testHost{
		disk:   newTestDisk(),
		exit:   func(int, string) {},
		choose: func(string, int) int { return 0 },
	}
}

func (h *testHost) Now() time.Duration            { return h.now }
func (h *testHost) Choose(site string, n int) int { return h.choose(site, n) }
func (h *testHost) Exit(code int, stdout string)  { h.exit(code, stdout) }
func (h *testHost) Log(level env.Level, format string, args ...any) {
	h.logs = append(h.logs, fmt.Sprintf("%s %s", level, fmt.Sprintf(format, args...)))
}

func (h *testHost) Look(ask func(Storage), told func()) {
	see := func() {
		ask(h.disk)
		told()
	}
	switch {
	case h.hung:
		h.looks = append(h.looks, see)
	case h.apart:
		h.After(0, see)
	default:
		see()
	}
}

func (h *testHost) Work(do, done func()) {
	do()
	done()
}

// answer completes all file operations that are waiting.
func (h *testHost) answer() {
	looks := h.looks
	h.looks = nil
	for _, see := range looks {
		see()
	}
}

func (h *testHost) Watch(path string, changed func()) (func(), bool) {
	return h.disk.Watch(path, changed)
}

func (h *testHost) After(d time.Duration, fn func()) func() {
	t := &hostTimer{at: h.now + max(d, 0), fn: fn}
	h.timers = append(h.timers, t)
	return func() {
		h.timers = slices.DeleteFunc(h.timers, func(u *hostTimer) bool { return u == t })
	}
}

// runTo fires every timer that is due up to and including the virtual time at.
func (h *testHost) runTo(at time.Duration) {
	for {
		first := -1
		for i, t := range h.timers {
			if t.at <= at && (first < 0 || t.at < h.timers[first].at) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		t := h.timers[first]
		h.timers = slices.Delete(h.timers, first, first+1)
		h.now = max(h.now, t.at)
		h.fired++
		t.fn()
		if h.onFired != nil {
			h.onFired()
		}
	}
	h.now = max(h.now, at)
}

// testDisk holds files and directories by path.
type testDisk struct {
	files   map[string]testFile
	faults  map[string]error // error that List and SizeBytes return, by path
	watches []*diskWatch
	blind   bool // whether files cannot be watched
	lists   int
}

type testFile struct {
	dir  bool
	data []byte
	size int64
}

type diskWatch struct {
	path string
	fn   func()
}

func newTestDisk() *testDisk {
	return &testDisk{files: map[string]testFile{}, faults: map[string]error{}}
}

func (d *testDisk) List(path string) ([]string, error) {
	d.lists++
	if err := d.faults[path]; err != nil {
		return nil, err
	}
	var names []string
	for p := range d.files { //lint:ordered sorted below
		if rest, ok := strings.CutPrefix(p, path+"/"); ok && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(names))) // in reverse, because the order is not promised
	return names, nil
}

func (d *testDisk) Exists(path string) bool {
	_, ok := d.files[path]
	return ok
}

func (d *testDisk) SizeBytes(path string) (int64, error) {
	if err := d.faults[path]; err != nil {
		return 0, err
	}
	if !d.Exists(path) {
		return 0, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	var sum int64
	for p, f := range d.files { //lint:ordered a sum
		if p == path || strings.HasPrefix(p, path+"/") {
			sum += f.size
		}
	}
	return sum, nil
}

func (d *testDisk) ReadFile(path string) ([]byte, error) {
	f, ok := d.files[path]
	if !ok || f.dir {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return f.data, nil
}

func (d *testDisk) Watch(path string, changed func()) (func(), bool) {
	if d.blind {
		return nil, false
	}
	w := &diskWatch{path, changed}
	d.watches = append(d.watches, w)
	return func() {
		d.watches = slices.DeleteFunc(d.watches, func(u *diskWatch) bool { return u == w })
	}, true
}

// notify calls the watches that are affected by a change of the path.
func (d *testDisk) notify(path string) {
	for _, w := range slices.Clone(d.watches) {
		if w.path == path || strings.HasPrefix(path, w.path+"/") || strings.HasPrefix(w.path, path+"/") {
			w.fn()
		}
	}
}

// put adds a file with its parent directories.
func (d *testDisk) put(path string, f testFile) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && !d.Exists(path[:i]) {
			d.files[path[:i]] = testFile{dir: true}
		}
	}
	d.files[path] = f
	d.notify(path)
}

func (d *testDisk) mkdir(path string) { d.put(path, testFile{dir: true}) }

// putModel adds a SavedModel of size bytes in an export directory.
func (d *testDisk) putModel(dir string, size int64) {
	d.put(dir+"/saved_model.pb", testFile{data: []byte("graph"), size: size})
}

func (d *testDisk) write(path, text string) {
	d.put(path, testFile{data: []byte(text), size: int64(len(text))})
}

func (d *testDisk) remove(path string) {
	maps.DeleteFunc(d.files, func(p string, _ testFile) bool { return p == path || strings.HasPrefix(p, path+"/") })
	d.notify(path)
}

// rename moves a path and everything below it, and replaces what was at the new path.
func (d *testDisk) rename(from, to string) {
	if !d.Exists(from) || from == to {
		return
	}
	d.remove(to)
	for _, p := range sortedKeys(d.files) {
		if rest, ok := strings.CutPrefix(p, from); ok && (rest == "" || rest[0] == '/') {
			d.files[to+rest] = d.files[p]
		}
	}
	d.notify(to)
	d.remove(from)
}

func (d *testDisk) fault(path string, err error) {
	if err == nil {
		delete(d.faults, path)
	} else {
		d.faults[path] = err
	}
	d.notify(path)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// acquire finds the version for a request, as Begin does, and returns a handle that keeps it
// loaded.
func acquire(s *Server, spec env.ModelSpec) (Handle, error) {
	s.timers.CatchUp()
	return s.reader.acquire(spec)
}

// predictTime returns the latency of a Predict request that begins now.
func predictTime(t *testing.T, s *Server, model string) time.Duration {
	t.Helper()
	inference, err := s.Begin(&apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: model}})
	if err != nil {
		t.Fatal(err)
	}
	defer inference.End()
	return inference.Latency()
}

// specMessage converts a spec to upstream's message.
func specMessage(spec env.ModelSpec) *apis.ModelSpec {
	m := &apis.ModelSpec{Name: spec.Name, SignatureName: spec.Signature}
	switch {
	case spec.HasVersion:
		m.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(spec.Version)}
	case spec.Label != "":
		m.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: spec.Label}
	}
	return m
}

// errBatchQueueFull is the error of a server with too many requests, in TensorFlow's words
// (TFS-12.2).
var errBatchQueueFull = &env.RPCError{
	Code:    rpcerrors.Unavailable,
	Message: "The batch scheduling queue to which this task was submitted is full",
}
