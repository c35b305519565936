package loopback

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// child is a child process of this program that leads a process group of its own.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil unless it was asked for
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
	_ = c.cmd.Wait() // the exit code tells how it ended
	close(c.exited)
	return exitCode(c.cmd)
}

func (c *child) pid() int { return c.cmd.Process.Pid }
