// Package envtest has surroundings in memory for tests of code that runs on an env.Env:
// a host with given variables, files, and a ZooKeeper that one client sees.
//
// Two things to use first:
//
//   - [New] is an env.Env with files and variables.
//   - [NewZooKeeper] is a ZooKeeper for it, where the code needs one.
//
// It is for code that asks its surroundings little. Where several nodes or time have a
// part, or where it matters how files and ZooKeeper behave, use the simulation, whose
// tests hold it to the real ones. Files are in files.go, tasks, clock, log and ZooKeeper
// in zookeeper.go.
package envtest

import (
	"io/fs"
	"sort"
	"testing/fstest"

	"github.com/monosim/monosim/engine/env"
)

// New returns an env.Env with files, by their paths, and variables. A relative path counts
// from [Dir]. What tests run in beside these two, they set.
func New(files, vars map[string]string) *env.Env {
	f := &Files{tree: fstest.MapFS{key(Dir): {Mode: fs.ModeDir}}}
	//lint:ordered each file is put under its own name
	for name, text := range files {
		f.tree[key(name)] = &fstest.MapFile{Data: []byte(text)}
	}
	h := &Host{vars: map[string]string{}}
	for k, v := range vars {
		h.vars[k] = v
	}
	return &env.Env{Files: f, Host: h}
}

// Host is a host called "host" that finds its own address by its name and has no route
// to the outside.
type Host struct {
	// FreePorts counts the ports that were asked for; each was the same one.
	FreePorts int

	vars map[string]string
}

const freePort = 59999

// LookupEnv returns a variable; ok reports whether it is set.
func (h *Host) LookupEnv(key string) (value string, ok bool) {
	value, ok = h.vars[key]
	return value, ok
}

// Setenv sets a variable.
func (h *Host) Setenv(key, value string) { h.vars[key] = value }

// Unsetenv takes a variable away.
func (h *Host) Unsetenv(key string) { delete(h.vars, key) }

// Environ lists all variables as key=value, sorted.
func (h *Host) Environ() []string {
	var list []string
	for k, v := range h.vars {
		list = append(list, k+"="+v)
	}
	sort.Strings(list)
	return list
}

// Hostname returns "host".
func (h *Host) Hostname() string { return "host" }

// LookupIP returns the address of the host's name, in v4.
func (h *Host) LookupIP() (string, error) { return "192.0.2.10", nil }

// LookupIPv6 returns its address in v6.
func (h *Host) LookupIPv6() (string, error) { return "2001:db8::10", nil }

// RouteIP fails.
func (h *Host) RouteIP() (string, error) { return "", fs.ErrNotExist }

// FreePort returns a port that is free.
func (h *Host) FreePort() int {
	h.FreePorts++
	return freePort
}
