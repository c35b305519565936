package main

// Events are written short, one a line: action, package, test, output. The
// counter sees them as go test -json would write them. TestGoTest runs the go
// command itself.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTotals(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []event
		code   int
		want   string // everything that is printed
	}{
		{
			name: "each test counts once",
			events: []event{
				{Action: "start", Package: "a"},
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "output", Package: "a", Test: "TestX", Output: "=== RUN   TestX\n"},
				{Action: "pass", Package: "a", Test: "TestX"},
				{Action: "output", Package: "a", Output: "PASS\n"},
				{Action: "output", Package: "a", Output: "ok  \ta\t0.1s\n"},
				{Action: "pass", Package: "a"},
			},
			code: exitPassed,
			want: "\npackages:\nok  \ta\t0.1s\n\n1 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a test with subtests counts through them",
			events: []event{
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "run", Package: "a", Test: "TestX/one/half"},
				{Action: "pass", Package: "a", Test: "TestX/one/half"},
				{Action: "run", Package: "a", Test: "TestX/two"},
				{Action: "pass", Package: "a", Test: "TestX/two"},
				{Action: "pass", Package: "a", Test: "TestX"},
				{Action: "pass", Package: "a"},
			},
			code: exitPassed,
			want: "\npackages:\npass\ta\n\n2 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a failing subtest is one failure",
			events: []event{
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "run", Package: "a", Test: "TestX/one"},
				{Action: "output", Package: "a", Test: "TestX/one", Output: "=== RUN   TestX/one\n"},
				{Action: "output", Package: "a", Test: "TestX/one", Output: "    x_test.go:3: got 1, want 2\n"},
				{Action: "output", Package: "a", Test: "TestX/one", Output: "    --- FAIL: TestX/one (0.00s)\n"},
				{Action: "fail", Package: "a", Test: "TestX/one"},
				{Action: "run", Package: "a", Test: "TestX/two"},
				{Action: "output", Package: "a", Test: "TestX/two", Output: "not worth reading\n"},
				{Action: "pass", Package: "a", Test: "TestX/two"},
				{Action: "fail", Package: "a", Test: "TestX"},
				{Action: "output", Package: "a", Output: "FAIL\ta\t0.1s\n"},
				{Action: "fail", Package: "a"},
			},
			code: exitFailed,
			want: "    x_test.go:3: got 1, want 2\n    --- FAIL: TestX/one (0.00s)\nFAIL\ta\t0.1s\n" +
				"\nfailed:\na.TestX/one\n\npackages:\nFAIL\ta\t0.1s\n\n1 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a test that fails beside its subtests is a failure",
			events: []event{
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "run", Package: "a", Test: "TestX/one"},
				{Action: "pass", Package: "a", Test: "TestX/one"},
				{Action: "fail", Package: "a", Test: "TestX"},
				{Action: "fail", Package: "a"},
			},
			code: exitFailed,
			want: "\nfailed:\na.TestX\n\npackages:\nfail\ta\n\n1 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "skipped tests tell why",
			events: []event{
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "output", Package: "a", Test: "TestX", Output: "=== RUN   TestX\n"},
				{Action: "output", Package: "a", Test: "TestX", Output: "    x_test.go:3: no ZooKeeper: set X\n"},
				{Action: "output", Package: "a", Test: "TestX", Output: "--- SKIP: TestX (0.00s)\n"},
				{Action: "skip", Package: "a", Test: "TestX"},
				{Action: "run", Package: "a", Test: "TestY"},
				{Action: "skip", Package: "a", Test: "TestY"},
				{Action: "pass", Package: "a"},
			},
			code: exitPassed,
			want: "\nskipped:\na.TestX: no ZooKeeper: set X\na.TestY: no reason given\n" +
				"\npackages:\npass\ta\n\n0 passed, 0 failed, 2 skipped\n",
		},
		{
			name: "a package that does not build is a failure",
			events: []event{
				{Action: "build-output", ImportPath: "b", Output: "b.go:1: undefined: x\n"},
				{Action: "build-fail", ImportPath: "b"},
				{Action: "fail", Package: "a", FailedBuild: "b"},
				{Action: "fail", Package: "c", FailedBuild: "b"},
			},
			code: exitFailed,
			want: "b.go:1: undefined: x\n\nfailed:\na\nc\n\npackages:\nfail\ta\nfail\tc\n\n0 passed, 2 failed, 0 skipped\n",
		},
		{
			name: "packages without tests are no result",
			events: []event{
				{Action: "output", Package: "a", Output: "?   \ta\t[no test files]\n"},
				{Action: "skip", Package: "a"},
			},
			code: exitNoRun,
			want: "\n0 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a run that was cut short is a failure",
			events: []event{
				{Action: "start", Package: "a"},
				{Action: "run", Package: "a", Test: "TestX"},
				{Action: "pass", Package: "a", Test: "TestX"},
				{Action: "run", Package: "a", Test: "TestY"},
			},
			code: exitFailed,
			want: "--- FAIL: TestY (did not finish)\nFAIL\ta (go test ended before it did)\n" +
				"\nfailed:\na.TestY\n\npackages:\nFAIL\ta (go test ended before it did)\n\n1 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "no events are no success",
			code: exitNoRun,
			want: "\n0 passed, 0 failed, 0 skipped\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in, out bytes.Buffer
			for _, e := range c.events {
				if err := json.NewEncoder(&in).Encode(e); err != nil {
					t.Fatal(err)
				}
			}
			code, _ := run(newCounter(&out), &in, nil, "")
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherLinesPassThrough(t *testing.T) {
	var out bytes.Buffer
	code, err := run(newCounter(&out), strings.NewReader("go: no such module\n{}\nlast"), nil, "")
	if code != exitNoRun || err == nil {
		t.Errorf("exit code %d and error %v, want %d and an error", code, err, exitNoRun)
	}
	want := "go: no such module\n{}\nlast\n\n0 passed, 0 failed, 0 skipped\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func TestSummaryFileHoldsTheClosingLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary")
	in := strings.NewReader(`{"Action":"run","Package":"a","Test":"T"}
{"Action":"pass","Package":"a","Test":"T"}
{"Action":"pass","Package":"a"}
`)
	if code, err := run(newCounter(io.Discard), in, nil, file); code != exitPassed || err != nil {
		t.Fatalf("exit code %d and error %v, want %d and none", code, err, exitPassed)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("\npackages:\npass\ta\n\n1 passed, 0 failed, 0 skipped\n", string(got)); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestProgressIsToldWhileTestsAreSilent(t *testing.T) {
	var out bytes.Buffer
	ticks, reader := make(chan time.Time), make(chan struct{})
	in, events := io.Pipe()
	go func() {
		defer close(reader)
		if code, _ := run(newCounter(&out), in, ticks, ""); code != exitNoRun {
			t.Errorf("exit code %d, want %d", code, exitNoRun)
		}
	}()
	ticks <- time.Now().Add(time.Hour)
	events.Close()
	<-reader
	want := "… 1h0m0s: packages done 0, passed 0, failed 0\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("printed %q, want it to begin %q", &out, want)
	}
}

func TestStandingNamesThePackageThatRuns(t *testing.T) {
	c := newCounter(io.Discard)
	for _, step := range []struct{ event, want string }{
		{`{"Action":"start","Package":"a"}`, "packages done 0, passed 0, failed 0, now a"},
		{`{"Action":"start","Package":"b"}`, "packages done 0, passed 0, failed 0, now a"},
		{`{"Action":"pass","Package":"a","Test":"T"}`, "packages done 0, passed 0, failed 0, now a"},
		{`{"Action":"pass","Package":"a"}`, "packages done 1, passed 1, failed 0, now b"},
		{`{"Action":"fail","Package":"b"}`, "packages done 2, passed 1, failed 1"},
	} {
		c.line([]byte(step.event))
		if got := c.standing(); got != step.want {
			t.Errorf("after %s: %q, want %q", step.event, got, step.want)
		}
	}
}

func TestPackagesAreToldAsTheyEnd(t *testing.T) {
	c := newCounter(io.Discard)
	var got []string
	c.each = func(result string) { got = append(got, result) }
	c.line([]byte(`{"Action":"output","Package":"b","Output":"ok  \tb\t0.1s\n"}`))
	c.line([]byte(`{"Action":"pass","Package":"b"}`))
	c.line([]byte(`{"Action":"fail","Package":"a"}`))
	if diff := cmp.Diff([]string{"ok  \tb\t0.1s", "fail\ta"}, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestBrokenInputIsNoSuccess(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"Action":"pass","Package":"a","Test":"T"}`), iotest.ErrReader(io.ErrUnexpectedEOF))
	code, err := run(newCounter(io.Discard), in, nil, "")
	if code != exitNoRun || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("exit code %d and error %v, want %d and %v", code, err, exitNoRun, io.ErrUnexpectedEOF)
	}
}

// The go command reports each way to fail such that it is counted.
func TestGoTest(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"passes": `func TestX(t *testing.T) {}`,
		"skips":  `func TestX(t *testing.T) { t.Skip("not here") }`,
		"fails":  `func TestX(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Error("wrong") }) }`,
		"panics": `func TestX(t *testing.T) { panic("boom") }`,
		"exits":  `func TestX(t *testing.T) { os.Exit(0) }`,
		"builds": `func TestX(t *testing.T) { undefined() }`,
		"vets":   `func TestX(t *testing.T) { t.Errorf("%d", "x") }`,
		"hangs":  `func TestX(t *testing.T) { select {} }`,
	} {
		writeFile(t, filepath.Join(dir, name, "x_test.go"), "package x\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n"+body+"\n")
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.26\n")
	cmd := exec.Command("go", "test", "-json", "-timeout", "1s", "./...")
	cmd.Dir = dir
	events, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("go test: %v, want a failure", err)
	}

	var out bytes.Buffer
	code, err := run(newCounter(&out), bytes.NewReader(events), nil, "")
	if code != exitFailed || err != nil {
		t.Errorf("exit code %d and error %v, want %d and none", code, err, exitFailed)
	}
	_, failed, _ := strings.Cut(out.String(), "\nfailed:\n")
	failed, _, _ = strings.Cut(failed, "\n\npackages:")
	want := []string{
		"example.com/x/builds", "example.com/x/exits.TestX", "example.com/x/fails.TestX/sub",
		"example.com/x/hangs.TestX", "example.com/x/panics.TestX", "example.com/x/vets",
	}
	if diff := cmp.Diff(want, strings.Split(failed, "\n")); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if want := "\n1 passed, 6 failed, 1 skipped\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("printed\n%swant it to end %q", &out, want)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
