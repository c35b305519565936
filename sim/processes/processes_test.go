package processes_test

// Goal: programs are found as on Linux, processes end correctly, and parents learn of it. Method:
// one host with a tree of programs. A parent process starts children and logs what it sees.

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/processes"
)

type host struct {
	t     testing.TB
	w     *vtime.World
	tree  *files.FS
	table *processes.Table
	log   []string
}

func newHost(t testing.TB) *host {
	w := vtime.New(vtime.Config{Seed: 5})
	t.Cleanup(w.Close)
	h := &host{t: t, w: w, tree: files.NewFS(w)}
	h.table = processes.NewTable(w.Node("host"), h.tree)
	if err := h.tree.WriteTree(map[string]string{
		"/bin/server": "elf", "/opt/app/bin/tool": "elf", "/bin/text": "not a program", "/srv/": "", "/bin/dir/": "",
	}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf("%v ", h.w.Now())+fmt.Sprintf(format, args...))
}

func (h *host) want(lines ...string) {
	h.t.Helper()
	if diff := cmp.Diff(lines, h.log); diff != "" {
		h.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func (h *host) run(d time.Duration) {
	h.t.Helper()
	if _, err := h.w.Run(vtime.Limits{Until: h.w.Now() + d}); err != nil {
		h.t.Fatal(err)
	}
}

// parent runs fn as a task of a process that is pid 100.
func (h *host) parent(fn func(p *vtime.Process, self env.Processes)) *vtime.Process {
	life := h.w.Node("host").NewProcess("parent")
	self := h.table.View(life, func() []string { return []string{"A=parent", "PATH=/opt/app/bin"} }, func() string { return "/srv" })
	life.Go("main", func() {
		fn(life, self)
		life.Park("the end of the test")
	})
	return life
}

func (h *host) start(self env.Processes, cmd env.Command) env.Process {
	child, err := self.Start(cmd)
	if err != nil {
		h.t.Error(err)
	}
	return child
}

func TestAParentLearnsTheExitCode(t *testing.T) {
	cases := []struct {
		name    string
		program processes.Program
		signal  env.Signal
		want    int
	}{
		{name: "main returns", program: func(p *processes.Process) { p.Main(func() int { p.Life().Sleep(time.Second); return 3 }) }, want: 3},
		{name: "exit in another task", program: func(p *processes.Process) {
			p.Main(func() int { p.Life().Park("ever"); return 0 })
			p.Life().Go("other", func() { p.Life().Sleep(time.Second); p.Exit(4) })
		}, want: 4},
		{name: "exit in a callback", program: func(p *processes.Process) {
			p.Life().After(time.Second, vtime.Kind(0), func() { p.Exit(5) })
		}, want: 5},
		{name: "terminated", program: func(p *processes.Process) {}, signal: env.SIGTERM, want: -15},
		{name: "killed", program: func(p *processes.Process) { p.Notify(env.SIGKILL, func() {}) }, signal: env.SIGKILL, want: -9},
		{name: "handled signal", program: func(p *processes.Process) { p.Notify(env.SIGTERM, func() { p.Exit(0) }) }, signal: env.SIGTERM, want: 0},
		{name: "crashed by the engine", program: func(p *processes.Process) {
			p.Life().After(time.Second, vtime.Kind(0), p.Life().Crash)
		}, want: -9},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			h.table.Register("server", c.program)
			h.parent(func(p *vtime.Process, self env.Processes) {
				child := h.start(self, env.Command{Args: []string{"/bin/server"}})
				if _, done := child.Poll(); done {
					t.Error("done before it began")
				}
				if c.signal != 0 {
					p.Sleep(time.Second)
					if err := child.Signal(c.signal); err != nil {
						t.Error(err)
					}
				}
				for {
					if code, done := child.Poll(); done {
						h.note("exit %d", code)
						break
					}
					child.Exited().Wait()
				}
			})
			h.run(time.Minute)
			h.want(fmt.Sprintf("1s exit %d", c.want))
		})
	}
}

func TestAProgramWithCallbacksOutlivesItsTasks(t *testing.T) {
	h := newHost(t)
	h.table.Register("server", func(p *processes.Process) { p.Notify(env.SIGTERM, func() { h.note("handled") }) })
	p, err := h.table.Start(env.Command{Args: []string{"/bin/server"}})
	if err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	if err := p.Signal(env.SIGTERM); err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	h.want("1s handled")
	if _, done := p.Poll(); done {
		t.Error("the process ended with its signal handler")
	}
}

func TestAMainThreadThatRestsKeepsItsProcess(t *testing.T) {
	h := newHost(t)
	var over *vtime.Cond
	h.table.Register("server", func(p *processes.Process) {
		over = p.Life().NewCond("the end").(*vtime.Cond)
		p.Main(func() int {
			over.Rest(func() { over.Rest(func() { h.note("over") }) })
			return 3
		})
	})
	p, err := h.table.Start(env.Command{Args: []string{"/bin/server"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h.run(time.Second)
		if code, done := p.Poll(); done {
			t.Errorf("the process has ended with %d, want it to rest", code)
		}
		over.Signal()
	}
	h.run(time.Second)
	h.want("2s over")
	if code, done := p.Poll(); !done || code != 3 {
		t.Errorf("Poll is %d, %v, want 3, true", code, done)
	}
}

func TestAProcessThatReturnedLeavesNoTimers(t *testing.T) {
	h := newHost(t)
	life := h.w.Node("host").NewProcess("adopted")
	life.Go("main", func() { life.After(time.Second, vtime.Kind(0), func() { h.note("timer of a process that is gone") }) })
	p := h.table.Of(life)
	h.run(time.Minute)
	h.want()
	if code, done := p.Poll(); !done || code != 0 {
		t.Errorf("Poll is %d, %v, want 0, true", code, done)
	}
}

func (h *host) wantErr(err, want error) {
	h.t.Helper()
	var pathError *fs.PathError
	if !errors.Is(err, want) || !errors.As(err, &pathError) {
		h.t.Errorf("got %v, want a *fs.PathError around %v", err, want)
	}
}

func TestAStartThatFails(t *testing.T) {
	cases := []struct {
		name string
		cmd  env.Command
		want error
	}{
		{"no such file", env.Command{Args: []string{"/bin/none"}}, fs.ErrNotExist},
		{"no such file on PATH", env.Command{Args: []string{"none"}}, fs.ErrNotExist},
		{"not on PATH", env.Command{Args: []string{"server"}, Env: []string{"PATH=/opt/app/bin"}}, fs.ErrNotExist},
		{"a directory", env.Command{Args: []string{"/bin/dir"}}, fs.ErrPermission},
		{"not a program", env.Command{Args: []string{"/bin/text"}}, processes.ErrNotAProgram},
		{"no such directory to run in", env.Command{Args: []string{"/bin/server"}, Dir: "/none"}, fs.ErrNotExist},
		{"a file to run in", env.Command{Args: []string{"/bin/server"}, Dir: "/bin/server"}, files.ErrNotDir},
		{"output into a missing directory", env.Command{Args: []string{"/bin/server"}, Output: "/none/log"}, fs.ErrNotExist},
		{"no arguments", env.Command{}, files.ErrInvalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			h.table.Register("server", func(*processes.Process) { t.Error("the program ran") })
			h.parent(func(_ *vtime.Process, self env.Processes) {
				_, err := self.Start(c.cmd)
				h.wantErr(err, c.want)
			})
			h.run(time.Second)
			if n := len(h.table.Running()); n != 1 {
				t.Errorf("%d processes run, want the parent alone", n)
			}
		})
	}
}

func TestAChildInherits(t *testing.T) {
	h := newHost(t)
	h.table.Register("tool", func(p *processes.Process) { h.note("%d %q %q %s", p.Pid(), p.Args(), p.Environ(), p.Dir()) })
	h.parent(func(_ *vtime.Process, self env.Processes) {
		h.note("%d", self.Pid())
		h.start(self, env.Command{Args: []string{"tool", "--x"}})
		h.start(self, env.Command{Args: []string{"/opt/app/bin/tool"}, Env: []string{"B=2"}, Dir: "/opt"})
		h.start(self, env.Command{Args: []string{"../opt/app/bin/tool"}, Env: []string{}})
	})
	h.run(time.Second)
	h.want("0s 100",
		`0s 101 ["tool" "--x"] ["A=parent" "PATH=/opt/app/bin"] /srv`,
		`0s 102 ["/opt/app/bin/tool"] ["B=2"] /opt`,
		`0s 103 ["../opt/app/bin/tool"] [] /srv`)
}

func TestAForkedProcessIsACopyWithAnEnvOfItsOwn(t *testing.T) {
	h := newHost(t)
	h.table.SetEnv(func(p *processes.Process) *env.Env {
		h.note("env of %d: %q %q %s %s", p.Pid(), p.Args(), p.Environ(), p.Dir(), p.Output())
		return &env.Env{Tasks: p.Life(), Processes: h.table.View(p.Life(), p.Environ, p.Dir)}
	})
	h.table.Register("tool", func(p *processes.Process) {
		p.Main(func() int {
			self := h.table.View(p.Life(), func() []string { return []string{"NOW=1"} }, func() string { return "/opt" })
			self.Notify(env.SIGTERM, func() { t.Error("a forked process has the handlers of its parent") })
			child, err := self.Fork(func(e *env.Env) int {
				h.note("child is %d", e.Processes.Pid())
				e.Tasks.Sleep(time.Second)
				return 3
			})
			if err != nil {
				t.Error(err)
				return 1
			}
			other, err := self.Fork(func(e *env.Env) int { e.Tasks.NewCond("the end").Wait(); return 0 })
			if err != nil {
				t.Error(err)
				return 1
			}
			child.Exited().Wait()
			code, done := child.Poll()
			h.note("child ended %v with %d", done, code)
			if err := other.Signal(env.SIGTERM); err != nil {
				t.Error(err)
			}
			code, done = other.Poll()
			h.note("the other ended %v with %d", done, code)
			return 0
		})
	})
	if _, err := h.table.Start(env.Command{Args: []string{"/opt/app/bin/tool", "-x"}, Env: []string{"NOW=0"}, Dir: "/srv", Output: "log"}); err != nil {
		t.Fatal(err)
	}
	h.run(time.Minute)
	h.want(
		`0s env of 101: ["/opt/app/bin/tool" "-x"] ["NOW=1"] /opt /srv/log`,
		"0s child is 101",
		`0s env of 102: ["/opt/app/bin/tool" "-x"] ["NOW=1"] /opt /srv/log`,
		"1s child ended true with 3",
		"1s the other ended true with -15",
	)
}

func TestOutputFiles(t *testing.T) {
	cases := []struct {
		name   string
		append bool
		want   string
	}{
		{"are emptied at the start", false, "hello\n"},
		{"are kept when appending", true, "before\nhello\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			if err := h.tree.WriteFile("/srv/log", []byte("before\n")); err != nil {
				t.Fatal(err)
			}
			h.table.Register("server", func(p *processes.Process) { p.Print("hello") })
			h.parent(func(_ *vtime.Process, self env.Processes) {
				h.start(self, env.Command{Args: []string{"/bin/server"}, Output: "log", Append: c.append, Dir: "/"})
			})
			h.run(time.Second)
			got, err := h.tree.ReadFile("/srv/log")
			if err != nil || string(got) != c.want {
				t.Errorf("log holds %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestAnInheritedOutputIsTheStarters(t *testing.T) {
	h := newHost(t)
	h.table.Register("server", func(p *processes.Process) { p.Print("hello") })
	h.table.Register("tool", func(p *processes.Process) {
		self := h.table.View(p.Life(), p.Environ, p.Dir)
		p.Main(func() int {
			h.start(self, env.Command{Args: []string{"/bin/server"}, Output: "own", InheritOutput: true})
			return 0
		})
	})
	if _, err := h.table.Start(env.Command{Args: []string{"/opt/app/bin/tool"}, Dir: "/srv", Output: "log"}); err != nil {
		t.Fatal(err)
	}
	h.run(time.Second)
	for _, want := range []struct{ file, content string }{{"/srv/log", "hello\n"}, {"/srv/own", ""}} {
		if got, err := h.tree.ReadFile(want.file); err != nil || string(got) != want.content {
			t.Errorf("%s holds %q, %v, want %q", want.file, got, err, want.content)
		}
	}
}

func TestChildrenOutliveTheirParent(t *testing.T) {
	h := newHost(t)
	h.table.Register("server", func(p *processes.Process) {})
	parent := h.parent(func(_ *vtime.Process, self env.Processes) {
		h.start(self, env.Command{Args: []string{"/bin/server"}}).Exited()
	})
	h.run(time.Second)
	parent.Crash()
	h.run(time.Second)
	var pids []int
	for _, p := range h.table.Running() {
		pids = append(pids, p.Pid())
	}
	if diff := cmp.Diff([]int{101}, pids); diff != "" {
		t.Errorf("running (-want +got):\n%s", diff)
	}
}

func TestKillAllEndsEveryProcessAndTellsObservers(t *testing.T) {
	h := newHost(t)
	h.table.OnStart(func(p *processes.Process) { h.note("start %s", p.Name()) })
	h.table.OnExit(func(p *processes.Process) {
		code, done := p.Poll()
		h.note("exit %s %d %v", p.Name(), code, done)
	})
	h.table.Register("server", func(p *processes.Process) {})
	h.parent(func(_ *vtime.Process, self env.Processes) { h.start(self, env.Command{Args: []string{"/bin/server"}}) })
	h.run(time.Second)
	h.table.KillAll()
	h.want("0s start parent", "0s start server", "1s exit parent -9 true", "1s exit server -9 true")
	if n := len(h.table.Running()); n != 0 {
		t.Errorf("%d processes run after KillAll", n)
	}
}

func TestASignalToAnEndedProcessIsAnError(t *testing.T) {
	h := newHost(t)
	h.table.Register("server", func(p *processes.Process) { p.Exit(1) })
	h.parent(func(p *vtime.Process, self env.Processes) {
		child := h.start(self, env.Command{Args: []string{"/bin/server"}})
		p.Sleep(time.Second)
		if err := child.Signal(env.SIGTERM); !errors.Is(err, processes.ErrFinished) {
			t.Errorf("got %v, want %v", err, processes.ErrFinished)
		}
	})
	h.run(time.Minute)
}

func TestExitDoesNotReturnAndRunsNoEffects(t *testing.T) {
	h := newHost(t)
	h.parent(func(p *vtime.Process, self env.Processes) {
		defer h.note("deferred")
		defer func() { _, _ = self.Start(env.Command{Args: []string{"/bin/server"}}) }()
		defer func() {
			self.Exit(8)
			h.note("the second one returned")
		}()
		self.Exit(7)
		h.note("returned")
	})
	h.table.OnStart(func(p *processes.Process) { h.note("started %s", p.Name()) })
	h.table.OnExit(func(p *processes.Process) { code, _ := p.Poll(); h.note("exit %d", code) })
	h.table.Register("server", func(p *processes.Process) {})
	h.run(time.Second)
	h.want("0s exit 7", "0s deferred")
}
