package suites_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Goal: go-zookeeper works with the server under test (ZK-19.3, ZK-22.3). Method: its own
// tests run (ZK-19.4). Each of them starts a new server and kills it (ZK-19.1).
func TestGoZooKeeperSuite(t *testing.T) {
	sources := checkouts(t, "GOZK_SRC", "go-zookeeper/zk")
	environment := serverEnvironment(t)
	list := readKnown(t, "gozk.txt")
	for name, dir := range sources {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			var results []result
			for range *rounds {
				results = append(results, runGoZooKeeper(t, dir, environment, list)...)
			}
			hold(t, results, list, time.Since(start))
		})
	}
}

func runGoZooKeeper(t *testing.T, dir string, environment []string, list []known) []result {
	t.Helper()
	var names []string
	for _, k := range skipped(list) {
		names = append(names, k.name)
	}
	skips := "^(" + strings.Join(append(names, "none"), "|") + ")$"
	results := map[string]*result{}
	listed, err := command(t, environment, dir, "go", "test", "-list", skips, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(listed)) {
		if name = strings.TrimSpace(name); slices.Contains(names, name) {
			results[name] = &result{test: name, outcome: "skip"}
		}
	}
	args := []string{"test", "-count=1", "-json", "-timeout", suiteLimit.String(), "-skip", skips}
	if *serverKind == "real" {
		args = append(args, "-overlay", otherHealthCheck(t, dir))
	}
	cmd := command(t, environment, dir, "go", append(args, ".")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	if err := readEvents(out, results); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, stderr.Bytes(), tail(out))
	}
	ordered := make([]result, 0, len(results))
	for _, test := range slices.Sorted(maps.Keys(results)) {
		ordered = append(ordered, *results[test])
	}
	return ordered
}

// readEvents adds the results of top-level tests in the output of `go test -json` to results.
// It ignores subtests.
func readEvents(out []byte, results map[string]*result) error {
	for events := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Test, Output string }
		if err := events.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		test, _, part := strings.Cut(e.Test, "/")
		if test == "" {
			continue
		}
		r := results[test]
		if r == nil {
			// A test that starts and never ends stays at "fail".
			r = &result{test: test, outcome: "fail"}
			results[test] = r
		}
		switch {
		case e.Action == "output":
			r.why += e.Output
		case !part && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			r.outcome = e.Action
		}
	}
}

// otherHealthCheck replaces the suite's check that a server is up. The original expects a date
// format that real servers do not print since 3.7 (ZK-19.2). The compiler's overlay substitutes
// the file, so the checkout stays unchanged.
func otherHealthCheck(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "server_help_test.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const before, after = "_, ok := FLWSrvr(serverAddrs, time.Second)", `ok := true
		for _, addr := range serverAddrs {
			answer, err := fourLetterWord(addr, "srvr", time.Second)
			ok = ok && err == nil && strings.Contains(string(answer), "\nMode: ")
		}`
	if n := strings.Count(string(text), before); n != 1 {
		t.Fatalf("%s: found %d of %q, want 1", file, n, before)
	}
	folder := t.TempDir()
	other := filepath.Join(folder, "server_help_test.go")
	if err := os.WriteFile(other, []byte(strings.Replace(string(text), before, after, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, file, other), 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
