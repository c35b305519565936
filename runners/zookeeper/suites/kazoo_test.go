package suites_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pythontest"
)

// Goal: kazoo, the reference's ZooKeeper client, works with the server under test (ZK-18.4,
// ZK-22.2). Method: its own tests run on one server, which they stop and start (ZK-18.3). Tests
// that need more than one server are left out (ZK-18.5, ZK-18.6).
func TestKazooSuite(t *testing.T) {
	sources := checkouts(t, "KAZOO_SRC", "python-zk/kazoo")
	python := pythonWith(t, "pytest", "pytest_timeout", "objgraph", "mock", "six", "gevent", "eventlet")
	environment := serverEnvironment(t)
	list := readKnown(t, "kazoo.txt")
	for name, dir := range sources {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			results := runKazoo(t, python, dir, environment, list)
			hold(t, results, list, time.Since(start))
		})
	}
}

// Goal: the kazoo tests that need an ensemble pass on three servers (ZK-18.5, ZK-24.6, ZK-24.7).
func TestKazooOnThreeServers(t *testing.T) {
	sources := checkouts(t, "KAZOO_SRC", "python-zk/kazoo")
	python := pythonWith(t, "pytest", "pytest_timeout", "objgraph", "mock", "six", "gevent", "eventlet")
	environment := append(serverEnvironment(t), "KAZOO_SERVERS=3")
	for name, dir := range sources {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			results := runKazoo(t, python, dir, environment, nil, "-k", "TestReconfig or TestReadOnlyMode or test_update_host_list")
			hold(t, results, nil, time.Since(start))
			if len(results) < 7 {
				t.Errorf("%d tests, want 7 or more", len(results))
			}
		})
	}
}

// pythonWith returns the interpreter that PYTHON names. It fails the test if a module is missing
// (ZK-18.1), because pytest would silently skip the tests that import it.
func pythonWith(t *testing.T, modules ...string) string {
	t.Helper()
	python := pythontest.Name()
	if out, err := exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		t.Fatalf("PYTHON, %s, wants the modules %s: %s", python, strings.Join(modules, ", "), out)
	}
	return python
}

// runKazoo runs the tests of a kazoo checkout. The plugin kazoo_server.py replaces kazoo's own
// harness (ZK-18.2).
func runKazoo(t *testing.T, python, dir string, environment []string, list []known, selection ...string) []result {
	t.Helper()
	plugin, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var skips strings.Builder
	for _, k := range skipped(list) {
		fmt.Fprintln(&skips, k.name, k.reason)
	}
	report := filepath.Join(t.TempDir(), "report.xml")
	// -o addopts= and log_cli=false override the checkout's options, which are for interactive use.
	args := append([]string{"-m", "pytest", "-p", "kazoo_server", "-p", "no:cacheprovider",
		"-o", "addopts=", "-o", "log_cli=false", "-o", "timeout=180", "-q", "--tb=short", "--show-capture=no",
		"--junitxml=" + report, "kazoo/tests"}, selection...)
	cmd := command(t, append(environment, "KAZOO_SKIP="+skips.String(), "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+plugin+string(filepath.ListSeparator)+dir),
		dir, python, args...)
	out, err := cmd.CombinedOutput()
	// pytest's status 1 says that some tests failed. Other statuses say that the tests did not run.
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v: %v\n%s", cmd, err, tail(out))
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	results, err := readJUnit(text)
	if err != nil {
		t.Fatalf("%s: %v", report, err)
	}
	return results
}

// tail returns the last 4000 bytes of a program's output.
func tail(out []byte) []byte { return out[max(0, len(out)-4000):] }

// readJUnit reads pytest's report. A test with an error in its teardown is listed twice, once with
// its own outcome. The worse outcome counts.
func readJUnit(text []byte) ([]result, error) {
	type note struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var report struct {
		Tests []struct {
			Class   string `xml:"classname,attr"`
			Name    string `xml:"name,attr"`
			Failure *note  `xml:"failure"`
			Error   *note  `xml:"error"`
			Skipped *note  `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	var results []result
	at := map[string]int{}
	for _, c := range report.Tests {
		r := result{test: strings.TrimPrefix(c.Class, "kazoo.tests.") + "." + c.Name, outcome: "pass"}
		switch {
		case c.Failure != nil:
			r.outcome, r.why = "fail", c.Failure.Text
		case c.Error != nil:
			r.outcome, r.why = "fail", c.Error.Text
		case c.Skipped != nil:
			r.outcome, r.why = "skip", c.Skipped.Message
		}
		i, twice := at[r.test]
		if !twice {
			at[r.test] = len(results)
			results = append(results, r)
		} else if r.outcome == "fail" {
			results[i] = r
		}
	}
	return results, nil
}
