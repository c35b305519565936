package surroundings_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/machinetest"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// ownPrograms are test programs that only a real machine can run.
var ownPrograms = map[string]machinetest.Program{"parent": beParent}

// beParent starts the program waiter, prints its pid, and kills itself.
func beParent(e *env.Env, args []string) int {
	child, err := e.Processes.Start(env.Command{Args: []string{filepath.Join(filepath.Dir(args[0]), "waiter"), "is plain"}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for !env.Exists(e.Files, "waits") {
		e.Tasks.Sleep(time.Millisecond)
	}
	fmt.Println(child.Pid())
	e.Processes.Exit(-int(env.SIGKILL))
	return 0
}

// Goal: the children of a killed program end with it, unless they are set to outlive it.
func TestChildrenEndWithTheirParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children with their parent")
	}
	for _, outlives := range []bool{false, true} {
		t.Run(fmt.Sprintf("outlives %t", outlives), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(programs(t), "parent"))
			cmd.Dir = t.TempDir()
			if outlives {
				cmd.Env = append(os.Environ(), outlive+"=1")
			}
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("got %v, want a program that was killed", err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatal(err)
			}
			if outlives {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Errorf("the child of a parent that it outlives: %v", err)
				}
			}
			awaitGone(t, pid)
		})
	}
}

// awaitGone waits until a process is gone or is a zombie.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there: %s", pid, stat)
		}
		runtime.Gosched()
	}
}

// Goal: log lines have absl's form and levels.
func TestLogLines(t *testing.T) {
	for verbosity, want := range map[surroundings.Verbosity]string{
		surroundings.VerbosityDebug: "DIWE", surroundings.VerbosityInfo: "IWE", surroundings.VerbosityWarning: "WE", surroundings.VerbosityError: "E",
	} {
		var log bytes.Buffer
		p := surroundings.Program{Main: func(e *env.Env) int {
			for _, level := range []env.Level{env.Debug, env.Info, env.Warning, env.Error} {
				e.Log.Logf(level, "line %d\n", 7)
			}
			return 5
		}}
		p.Log.Output, p.Log.Verbosity = &log, verbosity
		code, err := surroundings.Run(p)
		if code != 5 || err != nil {
			t.Errorf("got exit code %d, %v, want 5", code, err)
		}
		form := regexp.MustCompile(`^[DIWE]\d{4} \d{2}:\d{2}:\d{2}\.\d{6} \d+\] line 7$`)
		var levels string
		for line := range strings.Lines(log.String()) {
			if line = strings.TrimSuffix(line, "\n"); !form.MatchString(line) {
				t.Errorf("got line %q", line)
			}
			levels += line[:1]
		}
		if diff := cmp.Diff(want, levels); diff != "" {
			t.Errorf("verbosity %d (-want +got):\n%s", verbosity, diff)
		}
	}
}

// Goal: a panic in any task becomes the error of the program. When the main thread ends, all
// other tasks end.
func TestHowARunEnds(t *testing.T) {
	_, err := surroundings.Run(surroundings.Program{Main: func(e *env.Env) int {
		e.Tasks.Go("bug", func() { panic("a bug") })
		e.Tasks.NewCond("the end").Wait()
		return 0
	}})
	var bug *tasks.PanicError
	if !errors.As(err, &bug) || bug.Value != "a bug" {
		t.Errorf("got %v, want the panic", err)
	}
	unwound := false
	code, err := surroundings.Run(surroundings.Program{Speed: 1000, Main: func(e *env.Env) int {
		e.Tasks.Go("other", func() {
			defer func() { unwound = true }()
			e.Tasks.NewCond("the end").Wait()
		})
		e.Tasks.Sleep(time.Second)
		return 3
	}})
	if code != 3 || err != nil || !unwound {
		t.Errorf("got exit code %d, %v, other task over: %t, want 3", code, err, unwound)
	}
}

// Goal: the environment variable MONOSIM_FORK is an error in a program that does not fork,
// and is not passed on to children.
func TestTheVariableOfForks(t *testing.T) {
	t.Setenv("MONOSIM_FORK", "1.x")
	_, err := surroundings.Run(surroundings.Program{Main: func(*env.Env) int { return 0 }})
	if err == nil || !strings.Contains(err.Error(), `MONOSIM_FORK: found "1.x"`) {
		t.Errorf("got %v", err)
	}
	t.Setenv("MONOSIM_FORK", "1")
	code, err := surroundings.Run(surroundings.Program{Main: func(e *env.Env) int {
		_, ok := e.Host.LookupEnv("MONOSIM_FORK")
		if ok {
			return 1
		}
		e.Processes.Fork(func(*env.Env) int { return 7 })
		return 2
	}})
	if code != 7 || err != nil {
		t.Errorf("the copy: got exit code %d, %v, want 7", code, err)
	}
	t.Setenv("MONOSIM_FORK", "2")
	if _, err := surroundings.Run(surroundings.Program{Main: func(e *env.Env) int { return 0 }}); err == nil || !strings.Contains(err.Error(), "never came to its fork") {
		t.Errorf("a copy that never forks: got %v", err)
	}
}
