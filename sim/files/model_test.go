package files_test

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// modelFile is a file of the model, with its present content and the content that a crash restores.
type modelFile struct {
	content, durable string
	dirtyAt          time.Duration // -1 when clean
}

// model describes the expected file system as a map from paths; a nil file is a directory. It
// keeps every earlier state of the names with its time, to tell simply what a crash leaves.
type model struct {
	now     time.Duration
	names   map[string]*modelFile
	history []modelState
}

type modelState struct {
	at    time.Duration
	names map[string]*modelFile
}

func newModel() *model { return &model{names: map[string]*modelFile{"/": nil, "/tmp": nil}} }

// changing saves the present names in the history. Call it before each change of the names.
func (m *model) changing() {
	m.history = append(m.history, modelState{m.now, maps.Clone(m.names)})
}

func (m *model) isDir(name string) bool { f, ok := m.names[name]; return ok && f == nil }

func (m *model) write(name, content string, extend bool) bool {
	f, ok := m.names[name]
	switch {
	case ok && f == nil, !m.isDir(path.Dir(name)):
		return false
	case !ok:
		m.changing()
		f = &modelFile{dirtyAt: -1}
		m.names[name] = f
	}
	f.settle(m.now)
	if f.dirtyAt < 0 {
		f.dirtyAt = m.now
	}
	if extend {
		content = f.content + content
	}
	f.content = content
	return true
}

func (f *modelFile) settle(now time.Duration) {
	if f.dirtyAt >= 0 && now-f.dirtyAt >= 30*time.Second {
		f.durable, f.dirtyAt = f.content, -1
	}
}

func (m *model) sync(name string) bool {
	f, ok := m.names[name]
	if !ok {
		return false
	}
	m.history = nil
	if f != nil {
		f.durable, f.dirtyAt = f.content, -1
	}
	return true
}

func (m *model) mkdir(name string) bool {
	for d := name; d != "/"; d = path.Dir(d) {
		if f, ok := m.names[d]; ok && f != nil {
			return false
		}
	}
	m.changing()
	for d := name; d != "/"; d = path.Dir(d) {
		m.names[d] = nil
	}
	return true
}

func (m *model) below(name string) []string {
	var list []string
	for other := range m.names { //lint:ordered sorted below
		if strings.HasPrefix(other, name+"/") {
			list = append(list, other)
		}
	}
	slices.Sort(list)
	return list
}

func (m *model) remove(name string, all bool) bool {
	if _, ok := m.names[name]; !ok {
		// RemoveAll of a missing path succeeds, but fails if a parent in the path is a file.
		return all && !m.throughFile(name)
	}
	inside := m.below(name)
	if len(inside) > 0 && !all {
		return false
	}
	m.changing()
	for _, x := range append(inside, name) {
		delete(m.names, x)
	}
	return true
}

func (m *model) throughFile(name string) bool {
	for d := path.Dir(name); d != "/"; d = path.Dir(d) {
		if m.names[d] != nil {
			return true
		}
	}
	return false
}

func (m *model) rename(from, to string) bool {
	f, ok := m.names[from]
	target, exists := m.names[to]
	switch {
	case !ok, !m.isDir(path.Dir(to)):
		return false
	case from == to:
		return true
	case strings.HasPrefix(to, from+"/"):
		return false
	case exists && (f == nil) != (target == nil):
		return false
	case exists && len(m.below(to)) > 0:
		return false
	}
	m.changing()
	for _, x := range m.below(from) {
		m.names[to+strings.TrimPrefix(x, from)] = m.names[x]
		delete(m.names, x)
	}
	m.names[to] = f
	delete(m.names, from)
	return true
}

func (m *model) crash() {
	for _, s := range m.history {
		if m.now-s.at < 30*time.Second {
			m.names = s.names
			break
		}
	}
	m.history = nil
	//lint:ordered each file settles by itself
	for _, f := range m.names {
		if f != nil {
			f.settle(m.now)
			f.content, f.dirtyAt = f.durable, -1
		}
	}
}

// all returns the model's contents by path. A directory's path ends in a slash.
func (m *model) all() map[string]string {
	out := map[string]string{}
	//lint:ordered every name is its own key of out
	for name, f := range m.names {
		if f == nil {
			out[strings.TrimSuffix(name, "/")+"/"] = ""
		} else {
			out[name] = f.content
		}
	}
	return out
}

func listAll(t *rapid.T, fs *files.FS, dir string, out map[string]string) map[string]string {
	out[strings.TrimSuffix(dir, "/")+"/"] = ""
	names, err := fs.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		full := path.Join(dir, name)
		info, err := fs.Stat(full)
		if err != nil {
			t.Fatal(err)
		}
		if info.Dir {
			listAll(t, fs, full, out)
			continue
		}
		content, err := fs.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(content)) != info.SizeBytes {
			t.Fatalf("%s: %d bytes, but a size of %d", full, len(content), info.SizeBytes)
		}
		out[full] = string(content)
	}
	return out
}

// Goal: after any sequence of operations, crashes and pauses the tree has the content that the
// model predicts. An operation fails exactly when the model says so.
func TestTheTreeAgreesWithAPlainMap(t *testing.T) {
	some := rapid.SampledFrom([]string{"/a", "/b", "/a/c", "/a/d", "/b/c", "/a/c/e"})
	rapid.Check(t, func(t *rapid.T) {
		w := vtime.New(vtime.Config{})
		defer w.Close()
		fs, m := files.NewFS(w), newModel()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			step := rapid.SampledFrom([]string{"write", "append", "sync", "mkdir", "remove", "removeall", "rename", "crash", "time"}).Draw(t, "step")
			var err error
			ok := true
			name := some.Draw(t, "path")
			switch step {
			case "write", "append":
				content := rapid.StringN(0, 3, -1).Draw(t, "content")
				if step == "write" {
					err = fs.WriteFile(name, []byte(content))
				} else {
					err = fs.AppendFile(name, []byte(content))
				}
				ok = m.write(name, content, step == "append")
			case "sync":
				err, ok = fs.Sync(name), m.sync(name)
			case "mkdir":
				err, ok = fs.MkdirAll(name), m.mkdir(name)
			case "remove":
				err, ok = fs.Remove(name), m.remove(name, false)
			case "removeall":
				err, ok = fs.RemoveAll(name), m.remove(name, true)
			case "rename":
				to := some.Draw(t, "to")
				err, ok = fs.Rename(name, to), m.rename(name, to)
			case "crash":
				fs.HostCrash()
				m.crash()
			case "time":
				d := time.Duration(rapid.IntRange(1, 31).Draw(t, "s")) * time.Second
				if _, err := w.Run(vtime.Limits{Until: w.Now() + d}); err != nil {
					t.Fatal(err)
				}
				m.now += d
			}
			if (err == nil) != ok {
				t.Fatalf("%s %s: got error %v, want success %v", step, name, err, ok)
			}
			if diff := cmp.Diff(m.all(), listAll(t, fs, "/", map[string]string{})); diff != "" {
				t.Fatalf("after %s %s (-want +got):\n%s", step, name, diff)
			}
		}
	})
}
