package agent

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// caseHost is the faked host of the testee protocol: the whole environment, and
// look-ups with fixed answers.
type caseHost struct {
	vars      map[string]string
	ip        string // "" fails the look-up
	routeIP   string // likewise
	freePorts int    // how many were asked for

}

const freePort = 59999

func (h *caseHost) LookupEnv(key string) (string, bool) {
	v, ok := h.vars[key]
	return v, ok
}
func (h *caseHost) Setenv(key, value string) { h.vars[key] = value }
func (h *caseHost) Environ() []string {
	var list []string
	for k, v := range h.vars {
		list = append(list, k+"="+v)
	}
	sort.Strings(list)
	return list
}
func (h *caseHost) Hostname() string            { return "host" }
func (h *caseHost) LookupIP() (string, error)   { return lookUp(h.ip) }
func (h *caseHost) LookupIPv6() (string, error) { return "2001:db8::10", nil }
func (h *caseHost) RouteIP() (string, error)    { return lookUp(h.routeIP) }
func (h *caseHost) FreePort() int {
	h.freePorts++
	return freePort
}

func lookUp(ip string) (string, error) {
	if ip == "" {
		return "", fs.ErrNotExist
	}
	return ip, nil
}

// caseFiles is a file system in memory whose working directory is caseDir.
type caseFiles struct {
	content map[string][]byte // nil is a directory
	temp    int
}

const caseDir = "/case"

func (f *caseFiles) abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = caseDir + "/" + name
	}
	return path.Clean(name)
}

func (f *caseFiles) put(name string, data []byte) {
	name = f.abs(name)
	f.content[name] = data
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		f.content[dir] = nil
	}
}

// missing is the error of a path that is not there.
func (f *caseFiles) missing(op, name string) error {
	for dir := path.Dir(f.abs(name)); dir != "/"; dir = path.Dir(dir) {
		if f.content[dir] != nil {
			return &fs.PathError{Op: op, Path: name, Err: errors.New("not a directory")}
		}
	}
	return env.NotExist(op, name)
}

func (f *caseFiles) ReadFile(name string) ([]byte, error) {
	data, ok := f.content[f.abs(name)]
	if !ok || data == nil {
		return nil, f.missing("open", name)
	}
	return data, nil
}

func (f *caseFiles) WriteFile(name string, data []byte) error {
	if _, ok := f.content[path.Dir(f.abs(name))]; !ok {
		return f.missing("open", name)
	}
	if old, ok := f.content[f.abs(name)]; ok && old == nil {
		return &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	f.content[f.abs(name)] = append([]byte{}, data...)
	return nil
}

func (f *caseFiles) Stat(name string) (env.FileInfo, error) {
	data, ok := f.content[f.abs(name)]
	if !ok {
		return env.FileInfo{}, f.missing("stat", name)
	}
	return env.FileInfo{Name: path.Base(name), SizeBytes: int64(len(data)), Dir: data == nil}, nil
}

func (f *caseFiles) Remove(name string) error {
	delete(f.content, f.abs(name))
	return nil
}

func (f *caseFiles) TempFile() string {
	f.temp++
	return caseDir + "/tmpabcdefg" + string(rune('0'+f.temp))
}

func (f *caseFiles) AppendFile(name string, data []byte) error {
	return f.WriteFile(name, append(f.content[f.abs(name)], data...))
}
func (f *caseFiles) MkdirAll(name string) error { f.put(name, nil); return nil }
func (f *caseFiles) RemoveAll(name string) error {
	f.move(f.abs(name), "")
	return nil
}

func (f *caseFiles) Rename(oldPath, newPath string) error {
	if names, _ := f.ReadDir(newPath); len(names) > 0 {
		return &fs.PathError{Op: "rename", Path: oldPath, Err: errors.New("directory not empty")}
	}
	f.move(f.abs(oldPath), f.abs(newPath))
	return nil
}

// move renames everything at and below a path, or removes it when to is empty.
func (f *caseFiles) move(from, to string) {
	//lint:ordered each entry is moved by itself
	for _, name := range slices.Collect(maps.Keys(f.content)) {
		rest, below := strings.CutPrefix(name, from)
		if !below || rest != "" && rest[0] != '/' {
			continue
		}
		if to != "" {
			f.content[to+rest] = f.content[name]
		}
		delete(f.content, name)
	}
}

func (f *caseFiles) ReadDir(name string) ([]string, error) {
	dir := f.abs(name)
	if data, ok := f.content[dir]; !ok {
		return nil, f.missing("open", name)
	} else if data != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a directory")}
	}
	var names []string
	for entry := range f.content {
		if path.Dir(entry) == dir && entry != dir {
			names = append(names, path.Base(entry))
		}
	}
	sort.Strings(names)
	return names, nil
}

func (f *caseFiles) Sync(string) error  { return nil }
func (f *caseFiles) Getwd() string      { return caseDir }
func (f *caseFiles) Chdir(string) error { return fs.ErrInvalid }

// newCaseEnv is a world with the files and variables given.
func newCaseEnv(files, vars map[string]string) *env.Env {
	f := &caseFiles{content: map[string][]byte{caseDir: nil}}
	//lint:ordered each file is put under its own name
	for name, text := range files {
		f.put(name, []byte(text))
	}
	h := &caseHost{vars: map[string]string{}, ip: "192.0.2.10"}
	for k, v := range vars {
		h.vars[k] = v
	}
	return &env.Env{Files: f, Host: h}
}
