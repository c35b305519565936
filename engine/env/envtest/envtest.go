// Package envtest has an env.Env in memory, for tests: a host with given variables, files, and a
// ZooKeeper that one client sees.
//
//   - [New] makes an env.Env with files and variables.
//   - [NewZooKeeper] makes a ZooKeeper, for code that needs one.
//
// It is for code that uses little of an env.Env. Tests in which several nodes or time play a part,
// or for which it matters how files and ZooKeeper behave, use the simulation, whose own tests
// compare it with the real ones.
//
// Unstable: any commit may change it.
package envtest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing/fstest"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// New returns an env.Env with the given environment variables, and with files by path. A relative
// path is below [Dir]. Its log is dropped. Tests set the other fields that they need.
func New(files, vars map[string]string) *env.Env {
	f := &Files{tree: fstest.MapFS{key(Dir): {Mode: fs.ModeDir}}}
	//lint:ordered each file is put under its own name
	for name, text := range files {
		f.tree[key(name)] = &fstest.MapFile{Data: []byte(text)}
	}
	h := &Host{vars: map[string]string{}}
	maps.Copy(h.vars, vars)
	return &env.Env{Files: f, Host: h, Log: Quiet{}}
}

// Quiet is a log that drops every line.
type Quiet struct{}

// Enabled returns false.
func (Quiet) Enabled(env.Level) bool { return false }

// Logf does nothing.
func (Quiet) Logf(env.Level, string, ...any) {}

// Heard is a log that keeps the text of every line.
type Heard struct{ Lines []string }

// Enabled returns true.
func (*Heard) Enabled(env.Level) bool { return true }

// Logf keeps a line.
func (h *Heard) Logf(_ env.Level, format string, args ...any) {
	h.Lines = append(h.Lines, fmt.Sprintf(format, args...))
}

// Host is a host named "host" that can look up its own addresses. It has no route to other hosts.
type Host struct {
	// FreePorts counts the calls of FreePort. They all return the same port.
	FreePorts int

	vars map[string]string
}

const freePort = 59999

// LookupEnv returns a variable. ok reports whether it is set.
func (h *Host) LookupEnv(key string) (value string, ok bool) {
	value, ok = h.vars[key]
	return value, ok
}

// Setenv sets a variable.
func (h *Host) Setenv(key, value string) { h.vars[key] = value }

// Unsetenv removes a variable.
func (h *Host) Unsetenv(key string) { delete(h.vars, key) }

// Environ lists all variables as key=value, sorted.
func (h *Host) Environ() []string {
	return lists.MapOrNil(slices.Sorted(maps.Keys(h.vars)), func(k string) string { return k + "=" + h.vars[k] })
}

// Hostname returns "host".
func (h *Host) Hostname() string { return "host" }

// LookupIP returns the host's IPv4 address.
func (h *Host) LookupIP() (string, error) { return "192.0.2.10", nil }

// LookupIPv6 returns the host's IPv6 address.
func (h *Host) LookupIPv6() (string, error) { return "2001:db8::10", nil }

// RouteIP returns an error, because the host has no route to others.
func (h *Host) RouteIP() (string, error) { return "", fs.ErrNotExist }

// FreePort returns a fixed port number, and counts the call.
func (h *Host) FreePort() int {
	h.FreePorts++
	return freePort
}
