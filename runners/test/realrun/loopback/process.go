package loopback

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// child is a child process of this program that leads a process group of its own.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil unless the process was started with one
	exited chan struct{}  // closed when the process has ended
}

// start starts a program as the leader of a process group. If this program dies, the guard
// ends that group. The output is appended to a file.
func (g *guard) start(p Program, output string, stdin bool) (*child, error) {
	name := g.disks.below(output)
	if err := g.disks.files.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	out, err := g.disks.files.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child has its own copy
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.Env, p.Dir, out, out
	lead(cmd)
	c := &child{cmd: cmd, exited: make(chan struct{})}
	if stdin {
		if c.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Args[0], err)
	}
	g.add(cmd.Process.Pid)
	return c, nil
}

// await waits for the process to end, and returns its exit code. Call it once, in a
// goroutine of its own.
func (c *child) await() int {
	_ = c.cmd.Wait() // the error is not looked at: the exit code tells how it ended
	close(c.exited)
	return exitCode(c.cmd)
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// longestWords limits each line of a process's output in a message, in bytes, and mostWords the
// number of these lines. lastOutput is where they are looked for, because a stack trace is long.
const (
	longestWords = 200
	mostWords    = 3
	lastOutput   = 16 << 10
)

// Ended returns a line for each pod whose agent has ended: how it ended, and the last lines of its
// output. For a pod whose agent still runs, it returns a line if the pod's model servers have all
// ended.
func (c *Cluster) Ended() (lines []string) {
	how := map[string]string{}
	for _, o := range c.journal.log() {
		switch {
		case o.Path != runners.AgentProcess:
		case o.Op == "process.start":
			delete(how, o.Pod)
		case o.Op == "process.exit":
			how[o.Pod] = o.Note
		}
	}
	for _, p := range c.pods {
		code, ended := how[p.Name]
		if !ended && p.bare == nil && p.lostServers() {
			lines = append(lines, p.Name+": its model server has ended")
		}
		if !ended {
			continue
		}
		line := fmt.Sprintf("%s: its agent has ended with %s", p.Name, code)
		if words := lastLines(p.end(lastOutput)); words != "" {
			line += ", its output with: " + words
		}
		lines = append(lines, line)
	}
	return lines
}

// lostServers reports whether the pod has started model servers and none of them is running.
func (p *pod) lostServers() bool {
	all := p.allModelServers()
	return len(all) > 0 && !slices.ContainsFunc(all, func(s modelServer) bool { return s.runs() })
}

// lastLines returns the ends of the last lines of a text that say something, separated by slashes.
// Where a program dies of an exception, its last line is often a frame of the stack or the version
// of the interpreter, so indented lines and the stacks of goroutines do not count.
func lastLines(text string) string {
	if i := strings.Index(text, "\ngoroutine "); i >= 0 {
		text = text[:i]
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line != "" && line == strings.TrimLeft(line, " \t") {
			lines = append(lines, strings.ToValidUTF8(line[max(len(line)-longestWords, 0):], ""))
		}
	}
	return strings.Join(lines[max(len(lines)-mostWords, 0):], " / ")
}
