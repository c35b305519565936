package loopback

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// child is a process of this one, the first of a group.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil unless it was asked for
	exited chan struct{}  // closed when it has ended
}

// start starts a program as the first of a group of its own, which the guard ends if this
// program cannot. What it prints goes to the end of a file.
func (g *guard) start(p Program, output string, stdin bool) (*child, error) {
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return nil, err
	}
	out, err := os.OpenFile(output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child has its own
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

// await returns when the process has ended, with its exit code. It must be called once,
// in a goroutine of its own.
func (c *child) await() int {
	_ = c.cmd.Wait() // the exit code says it
	close(c.exited)
	return exitCode(c.cmd)
}

func (c *child) pid() int { return c.cmd.Process.Pid }
