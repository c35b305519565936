package machinetest

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// tell is a program that appends its arguments, some environment variables and its directory to the
// file "told".
func tell(e *env.Env, args []string) int {
	vars := lists.Filter(e.Host.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "A=") || strings.HasPrefix(kv, "SET=") })
	e.Log.Logf(env.Info, "hello")
	line := strings.Join(args[1:], " ") + "|" + strings.Join(vars, " ") + "|" + path.Base(e.Files.Getwd()) + "\n"
	if e.Files.AppendFile("told", []byte(line)) != nil {
		return 1
	}
	return 0
}

// end is a program that ends in the way that its argument names.
func end(e *env.Env, args []string) int {
	switch args[1] {
	case "returns 3":
		return 3
	case "exits with 4":
		e.Processes.Exit(4)
	case "exits with 5 in another task":
		e.Tasks.Go("other", func() { e.Processes.Exit(5) })
		e.Tasks.NewCond("the end").Wait()
	case "kills itself":
		e.Processes.Exit(-int(env.SIGKILL))
	}
	return 0
}

// wait is a program that writes "ready" to the file "waits" and then waits for a signal. With the
// argument "handles" it handles SIGTERM, and exits with 6.
func wait(e *env.Env, args []string) int {
	if args[1] == "handles" {
		e.Processes.Notify(env.SIGTERM, func() { e.Processes.Exit(6) })
	}
	e.Processes.Notify(env.SIGKILL, func() {})
	if e.Files.AppendFile("waits", []byte("ready "+strconv.Itoa(e.Processes.Pid())+"\n")) != nil {
		return 1
	}
	e.Tasks.NewCond("a signal").Wait()
	return 0
}

// ending is a signal with the exit code that a waiting program has after it.
type ending struct {
	how  string
	sig  env.Signal
	code int
}

var processCases = []testCase{
	{name: "a parent learns the exit code", run: func(r *trial) {
		for how, want := range map[string]int{"returns 3": 3, "exits with 4": 4, "exits with 5 in another task": 5, "kills itself": -9, "returns": 0} {
			child := r.start(env.Command{Args: []string{r.Program("ender"), how}})
			r.want(how, r.codeOf(child), want)
			if err := child.Signal(env.SIGTERM); err == nil {
				r.Error("a process that has ended took a signal")
			}
		}
	}},
	{name: "signals end a process, or its handler does", run: func(r *trial) {
		for i, c := range []ending{{"is plain", env.SIGTERM, -15}, {"is plain", env.SIGKILL, -9}, {"is plain", env.SIGINT, -2}, {"handles", env.SIGTERM, 6}, {"handles", env.SIGKILL, -9}} {
			child := r.start(env.Command{Args: []string{r.Program("waiter"), c.how}})
			lines := r.awaitLines("waits", i+1)
			r.want("pid", lines[i], "ready "+strconv.Itoa(child.Pid()))
			if _, done := child.Poll(); done {
				r.Error("done before the signal")
			}
			r.must(child.Signal(c.sig))
			r.want(c.how+" "+c.sig.String(), r.codeOf(child), c.code)
		}
	}},
	{name: "a child inherits what it is not given", run: func(r *trial) {
		r.must(r.e.Files.MkdirAll("d"))
		r.e.Host.Setenv("SET", "now")
		teller := r.Program("teller")
		for _, cmd := range []env.Command{
			{Args: []string{teller, "all", "inherited"}},
			{Args: []string{teller, "own"}, Env: []string{"A=own"}},
			{Args: []string{"teller", "found"}, Env: []string{"PATH=/no/such:" + path.Dir(teller)}},
		} {
			r.want("exit code", r.codeOf(r.start(cmd)), 0)
		}
		r.want("told", r.awaitLines("told", 3), []string{"all inherited|A=1 SET=now|" + path.Base(r.Dir()), "own|A=own|" + path.Base(r.Dir()), "found||" + path.Base(r.Dir())})
		r.codeOf(r.start(env.Command{Args: []string{teller, "below"}, Dir: "d"}))
		r.must(r.e.Files.Chdir("d"))
		r.codeOf(r.start(env.Command{Args: []string{teller, "moved"}, Env: []string{}}))
		r.want("told", r.awaitLines("told", 2), []string{"below|A=1 SET=now|d", "moved||d"})
	}},
	{name: "output goes to its file", run: func(r *trial) {
		r.must(r.e.Files.MkdirAll("d"))
		for _, c := range []struct {
			name           string
			cmd            env.Command
			begins, wanted string
		}{
			{"replaced", env.Command{Output: "log", Dir: "d"}, "", "] hello\n"},
			{"appended", env.Command{Output: "log", Append: true, Dir: "d"}, "before\n", "] hello\n"},
			{"opened only", env.Command{Output: "log", InheritOutput: true, Dir: "d"}, "", ""},
		} {
			r.write("log", "before\n")
			c.cmd.Args = []string{r.Program("teller")}
			r.codeOf(r.start(c.cmd))
			log := r.read("log")
			if !strings.HasPrefix(log, c.begins) || !strings.HasSuffix(log, c.wanted) || c.begins == "" && strings.Contains(log, "before") {
				r.Errorf("%s: got %q, want %q to %q", c.name, log, c.begins, c.wanted)
			}
		}
	}},
	{name: "a start that fails is an error", run: func(r *trial) {
		r.write("file", "no program")
		ender := r.Program("ender")
		for _, c := range []struct {
			name string
			cmd  env.Command
			path string
			want error
		}{
			{"no file", env.Command{Args: []string{"/no/such"}}, "/no/such", fs.ErrNotExist},
			{"not on PATH", env.Command{Args: []string{"ender"}, Env: []string{"PATH=" + r.Dir()}}, "ender", fs.ErrNotExist},
			{"a directory", env.Command{Args: []string{r.Dir()}}, r.Dir(), fs.ErrPermission},
			{"no program", env.Command{Args: []string{"./file"}}, "./file", nil},
			{"no directory", env.Command{Args: []string{ender}, Dir: "/no/such"}, "/no/such", fs.ErrNotExist},
			{"a file to run in", env.Command{Args: []string{ender}, Dir: r.Dir() + "/file"}, r.Dir() + "/file", nil},
			{"output nowhere", env.Command{Args: []string{ender}, Output: "no/such"}, "no/such", fs.ErrNotExist},
			{"nothing", env.Command{}, "", nil},
		} {
			child, err := r.e.Processes.Start(c.cmd)
			if child != nil {
				r.Errorf("%s: got a process", c.name)
			}
			r.wantErr(err, c.path, c.want)
		}
	}},
}
