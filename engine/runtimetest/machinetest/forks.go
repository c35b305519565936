package machinetest

import (
	"path"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

const beforeForks = 20

// forkSome forks three times, waits for all copies, and returns the sum of their exit codes. It
// adds a number that keeps the sum positive. The last copy forks once more.
func forkSome(e *env.Env, _ []string) int {
	e.Processes.Notify(env.SIGTERM, func() { e.Processes.Exit(99) })
	e.Log.Logf(env.Info, "before the forks")
	sum := beforeForks
	var children []env.Process
	fork := func(main func(*env.Env) int) {
		child, err := e.Processes.Fork(main)
		if err != nil {
			sum += 1000
			return
		}
		children = append(children, child)
	}
	e.Host.Setenv("SET", "before")
	fork(func(e *env.Env) int { return saysSo(e, "first", 1) })
	fork(func(e *env.Env) int {
		if saysSo(e, "second", 0) != 0 {
			return 1
		}
		e.Tasks.NewCond("a signal").Wait()
		return 50
	})
	fork(func(e *env.Env) int {
		child, err := e.Processes.Fork(func(e *env.Env) int { return saysSo(e, "below the third", 4) })
		if err != nil {
			return 1000
		}
		return codeOf(child) + saysSo(e, "third", 2)
	})
	for i, child := range children {
		if i == 1 {
			for {
				if data, err := e.Files.ReadFile("second"); err == nil && len(data) > 0 {
					break
				}
				e.Tasks.Sleep(patience / 10_000)
			}
			_ = child.Signal(env.SIGTERM) // the copy has no handlers, even if its parent has
		}
		sum += codeOf(child)
	}
	return sum
}

func codeOf(child env.Process) int {
	for {
		if code, done := child.Poll(); done {
			return code
		}
		child.Exited().Wait()
	}
}

// saysSo writes what a copy of the process sees into a file with the copy's name, and returns code.
func saysSo(e *env.Env, name string, code int) int {
	set, _ := e.Host.LookupEnv("SET")
	e.Host.Setenv("SET", "changed")
	text := name + " in " + path.Base(e.Files.Getwd()) + " has SET " + set
	e.Log.Logf(env.Info, "%s", text)
	if e.Files.WriteFile(name, []byte(text+"\n"+strconv.Itoa(e.Processes.Pid()))) != nil {
		return 1000
	}
	return code
}

var forkCases = []testCase{
	{name: "a fork is a copy with an env of its own", run: func(r *trial) {
		r.must(r.e.Files.MkdirAll("d"))
		child := r.start(env.Command{Args: []string{r.Program("forker")}, Dir: "d", Output: "log"})
		r.want("sum of the exit codes", r.codeOf(child), beforeForks+1-15+4+2)
		pids := map[string]bool{strconv.Itoa(child.Pid()): true}
		for _, name := range []string{"first", "second", "third", "below the third"} {
			said, pid, _ := strings.Cut(r.read("d/"+name), "\n")
			r.want(name, said, name+" in d has SET before")
			if pids[pid] {
				r.Errorf("%s has the pid %s, and another has it too", name, pid)
			}
			pids[pid] = true
		}
		log := r.read("log")
		for text, times := range map[string]int{"before the forks": 1, "first in d": 1, "below the third in d": 1} {
			if n := strings.Count(log, text); n != times {
				r.Errorf("%q is %d times in the log, want %d: %q", text, n, times, log)
			}
		}
	}},
}
