package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: `monosim serve` runs a cluster that users can inspect and break. It leaves no files or
// processes behind, neither when it ends nor when it cannot start.

// description writes one.
func description(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// seen holds the fields that the test reads of the cluster's state.
type seen struct {
	Pods []struct {
		Name     string
		Running  bool
		Starts   int
		ExitCode int `json:"exit_code"`
		Models   []struct {
			Model    string
			Versions []struct {
				Version int64
				State   string
			}
		}
	}
	Services []struct {
		Key  string
		Pods []string
	}
	Sessions []struct{ Client string }
	Faults   []struct{ Kind string }
	Events   []struct{ Pod, Op, Path, Note string }
}

// tells reports whether the state has an event with this pod, operation, path and note.
func (s seen) tells(pod, op, path, note string) bool {
	for _, e := range s.Events {
		if e.Pod == pod && e.Op == op && e.Path == path && e.Note == note {
			return true
		}
	}
	return false
}

// awaitState fetches the cluster's state until the function shows accepts it, for two minutes at
// most.
func awaitState(t *testing.T, url, what string, shows func(seen) bool) {
	t.Helper()
	limit, again := time.After(2*time.Minute), time.NewTicker(100*time.Millisecond)
	defer again.Stop()
	var text []byte
	for {
		if answer, err := http.Get(url + "/state"); err == nil {
			text, _ = io.ReadAll(answer.Body)
			answer.Body.Close()
			var s seen
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatalf("state %s: %v", text, err)
			}
			if shows(s) {
				return
			}
		}
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("no %s; state %s", what, text)
		}
	}
}

func TestServeKeepsACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	program := builtProgram(t)
	dir := t.TempDir()
	cmd := exec.CommandContext(limited(t), program, "serve", "--json", "--speed", "10x", "--admin", "127.0.0.1:0", "--keep", dir,
		description(t, "replicas: 2\nmodels:\n  - name: ctr\n    sub_graphs: [{name: entry, versions: [1]}]\n"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var at struct {
		Admin, ZooKeeper string
		Pods             []struct{ Agent string }
	}
	if err := json.Unmarshal([]byte(line), &at); err != nil || len(at.Pods) != 2 || at.Admin == "" {
		t.Fatalf("addresses: %v in %s", err, line)
	}
	for _, addr := range []string{at.ZooKeeper, at.Pods[0].Agent, at.Pods[1].Agent} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	awaitState(t, at.Admin, "model that is served by both", func(s seen) bool {
		return len(s.Services) == 1 && s.Services[0].Key == "ctr:entry" && len(s.Services[0].Pods) == 2 && len(s.Sessions) >= 2
	})
	if got := post(t, at.Admin+"/versions/export", `{"base_path": "/models/ctr/entry", "version": 2, "size_bytes": 1000}`); got != "{}\n" {
		t.Errorf("export: %s", got)
	}
	awaitState(t, at.Admin, "second version", func(s seen) bool {
		m := s.Pods[0].Models
		return len(m) == 1 && len(m[0].Versions) > 0 && m[0].Versions[0].Version == 2 && m[0].Versions[0].State == "AVAILABLE"
	})
	post(t, at.Admin+"/pods/kill", `{"pod": "shard0-replica1"}`)
	awaitState(t, at.Admin, "end of a pod, and its cause and itself among the events", func(s seen) bool {
		return !s.Pods[1].Running && s.Pods[1].ExitCode == -9 &&
			s.tells("operator", "fault.happen", "agent.killed", "shard0-replica1") && s.tells("shard0-replica1", "process.exit", "agent_service", "code -9")
	})
	if got := post(t, at.Admin+"/pods/kill", `{"pod": "none"}`); !strings.Contains(got, "want one of shard0-replica0, shard0-replica1") {
		t.Errorf("an unknown pod: %s", got)
	}
	post(t, at.Admin+"/pods/restart", `{"pod": "shard0-replica1"}`)
	awaitState(t, at.Admin, "restarted pod", func(s seen) bool { return s.Pods[1].Running && s.Pods[1].Starts == 2 })
	// If a fault cannot be ended because the version that it broke is gone, other faults still end.
	broken := `{"kind": "version.broken", "base_path": "/models/ctr/entry", "n": 2, "end_after": "2s"}`
	if got := post(t, at.Admin+"/faults/begin", broken) + post(t, at.Admin+"/versions/delete", `{"base_path": "/models/ctr/entry", "version": 2}`); got != "{}\n{}\n" {
		t.Errorf("a broken version that is deleted: %s", got)
	}
	awaitState(t, at.Admin, "fault that is over", func(s seen) bool {
		return len(s.Faults) == 0 && s.tells("operator", "fault.end", "version.broken", "/models/ctr/entry 2")
	})
	page := get(t, at.Admin+"/", "text/html")
	if !strings.Contains(page, "<title>cluster cluster</title>") || !strings.Contains(page, "connect-src 'self'") || strings.Contains(page, "https:") {
		t.Errorf("page: %.300s", page)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	if left := namedProcesses(t, dir); len(left) > 0 {
		t.Errorf("processes: found %q, want none", left)
	}
}

func get(t *testing.T, url, accept string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// namedProcesses lists the processes whose command line contains the directory.
func namedProcesses(t *testing.T, dir string) (found []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), dir) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

func TestServeThatCannotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	good := description(t, "replicas: 1\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, command.ExitBadInput, "monosim serve --example prints one"},
		{[]string{"/no/such.yaml"}, command.ExitBadInput, "/no/such.yaml"},
		{[]string{description(t, "replicas: 1\nreplica: 2\n")}, command.ExitBadInput, "cluster.yaml:2: replica: found a field that there is not"},
		{[]string{description(t, "model_server: tfs-9\n")}, command.ExitBadInput, "tfs-9"},
		{[]string{good, "--speed", "fast"}, command.ExitBadInput, "--speed"},
		{[]string{good, "--admin", "0.0.0.0:0"}, command.ExitBadInput, "other machines reach"},
		{[]string{good, "--admin", taken.Addr().String()}, command.ExitBadInput, "choose another port"},
	} {
		root := newRootCommand()
		root.SetArgs(append([]string{"serve"}, c.args...))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.Execute()
		if err == nil || command.ExitCode(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v (%d), want %q (%d)", c.args, err, command.ExitCode(err), c.want, c.code)
		}
	}
	// --example prints a configuration.
	root := newRootCommand()
	var out bytes.Buffer
	root.SetArgs([]string{"serve", "--example"})
	root.SetOut(&out)
	if err := errors.Join(root.Execute()); err != nil || !strings.Contains(out.String(), "replicas: 2") {
		t.Error(fmt.Sprint(err, out.String()))
	}
}
