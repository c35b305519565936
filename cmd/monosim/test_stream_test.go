package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/schollz/progressbar/v3"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/runners/show/junit"
)

// Goal: long runs report progress, give the same results on any number of cores, and finish their
// files when they are interrupted. Method: write all report formats at once; run the program as a
// process and send it a signal after its first output.

var (
	wallTime = regexp.MustCompile(` in \S+ wall,`)
	caseTime = regexp.MustCompile(` time="[\d.]+"`)
)

// allForms returns the flags that make a run write every report format, and the files to be
// written.
func allForms(dir string) (flags, files []string) {
	for _, form := range []string{"progress", "pretty", "junit", "cucumber", "messages"} {
		files = append(files, filepath.Join(dir, form))
		flags = append(flags, "--format", form+":"+filepath.Join(dir, form))
	}
	for _, name := range []string{"trace.jsonl", "trace.json"} {
		files = append(files, filepath.Join(dir, name))
	}
	return flags, files
}

func TestJobsChangeNothing(t *testing.T) {
	scenarios := []string{"testdata/failures", "builtin:features/tfserving_labels.feature"}
	if !testing.Short() { // under the race detector it takes a minute
		scenarios = append(scenarios, "builtin:features/crashes.feature")
	}
	runs := map[string][]string{}
	for _, jobs := range []string{"1", "4"} {
		for _, trace := range []string{"trace.jsonl", "trace.json"} {
			dir := t.TempDir()
			flags, files := allForms(dir)
			args := append(flags, "--jobs", jobs, "--seeds", "3", "--trace", filepath.Join(dir, trace))
			out, _, err := testCommand(append(args, scenarios...)...)
			if command.ExitCode(err) != command.ExitFailed {
				t.Fatalf("--jobs %s: exit code: want %d, got %v", jobs, command.ExitFailed, err)
			}
			runs[jobs] = append(runs[jobs], wallTime.ReplaceAllString(out, ""))
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil && !strings.Contains(file, "trace") {
					t.Fatal(err)
				}
				runs[jobs] = append(runs[jobs], caseTime.ReplaceAllString(string(data), ""))
			}
		}
	}
	for i := range runs["1"] {
		if one, four := runs["1"][i], runs["4"][i]; one != four {
			t.Errorf("output %d differs between 1 job and 4 (-1 +4):\n%.4000s", i, cmp.Diff(one, four))
		}
	}
}

func TestOneKindOfFailureIsWrittenOnce(t *testing.T) {
	out, _, _ := testCommand("testdata/failures/agent.killed.feature", "--seeds", "12", "--seed", "3")
	if n := strings.Count(out, "FAILED "); n != 1 {
		t.Errorf("want 1 failure, got %d in\n%s", n, out)
	}
	for _, want := range []string{"FFFFFFFFFFFF 12\n", "  so did 12 of 12 seeds: 3, 4, 5, 6, 7, ...\n", "  seed 3, replay with: monosim test testdata/failures/agent.killed.feature:"} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "what happened to"); n != 1 {
		t.Errorf("explanations: want 1, got %d", n)
	}
}

func TestAReportThatCannotBeWrittenEndsWith2(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere", "x.xml")
	out, _, err := testCommand("builtin:features/fakes.feature", "--format", "junit:"+nowhere, "--format", "progress")
	if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("exit code: want %d and the name, got %d (%v)", command.ExitBadInput, command.ExitCode(err), err)
	}
	if out != "" {
		t.Errorf("want no run, got\n%s", out)
	}
}

// Goal: if one of the report files cannot be opened, the other files keep their old content.
func TestAReportThatCannotBeOpenedLeavesTheOthersAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	nowhere := filepath.Join(dir, "nowhere", "x")
	kept := filepath.Join(dir, "kept")
	for _, c := range []struct{ name, good, bad string }{
		{"html after junit", "--format=junit:" + kept, "--format=html:" + nowhere},
		{"cucumber after pretty", "--format=pretty:" + kept, "--format=cucumber:" + nowhere},
		{"trace after html", "--format=html:" + kept, "--trace=" + nowhere},
		{"junit with a trace", "--trace=" + kept, "--format=junit:" + nowhere},
	} {
		for _, flags := range [][]string{{c.good, c.bad}, {c.bad, c.good}} {
			if err := os.WriteFile(kept, []byte("before"), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := testCommand(append(flags, "builtin:features/fakes.feature")...)
			if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), nowhere) {
				t.Errorf("%s, %q: exit code: want %d and the name, got %d (%v)", c.name, flags, command.ExitBadInput, command.ExitCode(err), err)
			}
			if got, err := os.ReadFile(kept); err != nil || string(got) != "before" {
				t.Errorf("%s, %q: got %.60q, %v in the other file, want it as it was", c.name, flags, got, err)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
				t.Errorf("%s, %q: got %v, %v, want the other file alone", c.name, flags, list, err)
			}
		}
	}
}

func TestAnInterruptedRunLeavesWholeReports(t *testing.T) {
	program := builtProgram(t)
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		trace  string
	}{{syscall.SIGINT, 130, "trace.jsonl"}, {syscall.SIGTERM, 143, "trace.json"}} {
		t.Run(command.SignalNames[c.signal], func(t *testing.T) {
			dir := t.TempDir()
			flags, files := allForms(dir)
			cmd := exec.CommandContext(limited(t), program, append(append([]string{"test"}, flags...), "--format", "progress", "--seeds", "1000000", "--trace", filepath.Join(dir, c.trace), "builtin:features/crashes.feature")...)
			code, out, errs := runUntilSignal(t, cmd, c.signal)
			if code != c.code {
				t.Errorf("exit code: want %d, got %d\n%s", c.code, code, errs)
			}
			runs, _, _, _, _ := last(t, out)
			want := fmt.Sprintf(`monosim: interrupted by %s after %s of \d+000000 runs\n`, command.SignalNames[c.signal], runs)
			if !regexp.MustCompile(want).MatchString(errs) {
				t.Errorf("standard error: found nothing like %q in %q", want, errs)
			}
			if n := strings.Count(strings.SplitN(out, "scenarios of ", 2)[0], "."); fmt.Sprint(n) != runs {
				t.Errorf("marks: want %s, got %d", runs, n)
			}
			wholeJUnit(t, files[2], runs)
			wholeCucumber(t, files[3], runs)
			wholeTrace(t, filepath.Join(dir, c.trace), runs)
			if left, err := os.ReadDir(dir); err != nil || len(left) != 6 {
				t.Errorf("files: want the 6 reports, got %v, %v", left, err)
			}
		})
	}
}

// Goal: a run below nohup outlives its terminal. Method: it ignores SIGHUP from the start, as nohup has it, and
// gets that signal before the one that ends it.
func TestARunBelowNohupOutlivesTheTerminal(t *testing.T) {
	cmd := exec.CommandContext(limited(t), "sh", "-c", `trap "" HUP; exec "$0" test --seeds 1000000 builtin:features/crashes.feature`, builtProgram(t))
	if code, _, errs := runUntilSignal(t, cmd, syscall.SIGHUP, syscall.SIGTERM); code != 143 {
		t.Errorf("exit code: want 143, of SIGTERM, got %d\n%s", code, errs)
	}
}

// runUntilSignal sends signals to a program that has written a line, and waits for its end.
func runUntilSignal(t *testing.T, cmd *exec.Cmd, signals ...syscall.Signal) (code int, stdout, stderr string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	read := bufio.NewReader(out)
	first, err := read.ReadString('\n')
	for _, s := range signals {
		err = errors.Join(err, cmd.Process.Signal(s))
	}
	if err != nil {
		t.Error(err)
	}
	rest, err := io.ReadAll(read)
	if err != nil {
		t.Error(err)
	}
	cmd.Wait() // the error is not looked at: the exit code says how it ended
	return cmd.ProcessState.ExitCode(), first + string(rest), errs.String()
}

func wholeJUnit(t *testing.T, file, runs string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var suites junit.Suites
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatalf("junit: %v", err)
	}
	seeds := 0
	for _, c := range suites.Suites[0].Cases {
		n, err := strconv.Atoi(c.Properties.List[0].Value)
		if err != nil {
			t.Fatal(err)
		}
		seeds += n
	}
	if fmt.Sprint(seeds) != runs || len(suites.Suites) != 1 || len(suites.Suites[0].Cases) != suites.Tests {
		t.Errorf("junit: want a suite of tests with %s runs, got %d in %d tests", runs, seeds, suites.Tests)
	}
	if want := "<!-- interrupted after " + runs + ` of \d+000000 runs -->`; !regexp.MustCompile(want).Match(text) {
		t.Errorf("junit: found no %s", want)
	}
}

func wholeCucumber(t *testing.T, file, runs string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []report.CucumberFeature
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("cucumber: %v", err)
	}
	if len(list) != 1 || fmt.Sprint(len(list[0].Elements)) != runs {
		t.Errorf("cucumber: want a feature of %s elements, got %d features", runs, len(list))
	}
}

// wholeTrace checks that a trace file is complete and has the given runs.
func wholeTrace(t *testing.T, file, runs string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".json") {
		checkChrome(t, text, "processes")
		if want := []byte(`"name":"` + runs + ". "); !bytes.Contains(text, want) {
			t.Errorf("trace: found no %s", want)
		}
		return
	}
	n := 0
	for line := range bytes.Lines(text) {
		if !json.Valid(line) {
			t.Fatalf("trace: found %q, want JSON", line)
		}
		if bytes.HasPrefix(line, []byte(`{"run":`)) {
			n++
		}
	}
	if fmt.Sprint(n) != runs {
		t.Errorf("trace: want %s runs, got %d", runs, n)
	}
}

func TestProgressSaysHowFarAndHowLong(t *testing.T) {
	for _, c := range []struct {
		far  far
		want string
	}{
		{far{total: 200}, "0 of 200 runs (0 %), 0 failed, 0s virtual"},
		{far{total: 200, runs: 50, failed: 2, virtual: 90 * time.Minute}, "50 of 200 runs (25 %), 2 failed, 1h30m0s virtual, about 30s left"},
		{far{total: 3, runs: 3}, "3 of 3 runs (100 %), 0 failed, 0s virtual, about 0s left"},
	} {
		if got := c.far.line(10 * time.Second); got != c.want {
			t.Errorf("after 10s: want %q, got %q", c.want, got)
		}
	}
}

func TestTheBarMakesRoomForLines(t *testing.T) {
	var out bytes.Buffer
	bar := progressbar.NewOptions(10, progressbar.OptionSetWriter(&out), progressbar.OptionSetWidth(5))
	s := &screen{out: &out, shared: true, bar: bar}
	for range 3 {
		fmt.Fprint(s, "...")
		_ = bar.Add(1)
	}
	if strings.Contains(out.String(), "...") {
		t.Errorf("want no piece of a line in the bar, got %q", out.String())
	}
	fmt.Fprint(s, " 9\nmore")
	if !strings.HasSuffix(out.String(), "\r......... 9\n") {
		t.Errorf("want the bar cleared and the line, got %q", out.String())
	}
	if err := s.end(); err != nil || !strings.HasSuffix(out.String(), "more") {
		t.Errorf("at the end: want what waits, got %q, %v", out.String(), err)
	}
	fmt.Fprint(s, "plain")
	if !strings.HasSuffix(out.String(), "moreplain") {
		t.Errorf("after the end: want lines as they are, got %q", out.String())
	}
}
