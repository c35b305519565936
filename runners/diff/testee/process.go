package testee

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/monosim/monosim/runners/process"
)

// AnswerTimeout is the longest wall time for one answer or for the greeting.
const AnswerTimeout = 30 * time.Second

// errLate is the error for a testee that did not answer within its timeout.
var errLate = errors.New("found no answer")

// Process is a testee that runs as a program and answers over stdin and stdout. A program that
// dies, is late or breaks the protocol is ended. The next case starts it again.
type Process struct {
	// Command is the program and its arguments.
	Command []string
	// Timeout is the limit for one answer; 0 means AnswerTimeout.
	Timeout time.Duration

	running *running
	closed  bool
}

// StartProcess returns a testee for a command line, which is split at blanks. The program itself
// starts with the first question.
func StartProcess(commandLine string) (*Process, error) {
	words := strings.Fields(commandLine)
	if len(words) == 0 {
		return nil, errors.New("testee: found an empty command, want a program and its arguments")
	}
	return &Process{Command: words}, nil
}

// running is one process of the program. A restart makes a new one.
type running struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string // lines of stdout; closed when stdout ends
	stderr *process.Tail
}

// Hello asks for the greeting.
func (p *Process) Hello() (Hello, error) {
	line, err := p.ask(`{"op":"hello"}`)
	if err != nil {
		return Hello{}, fmt.Errorf("testee %s: %w", p.name(), err)
	}
	h, err := parseHello(line)
	if err != nil {
		p.end()
		return Hello{}, fmt.Errorf("testee %s: found the greeting %s\nwant {\"name\": text, \"version\": text, \"ops\": list of texts}: %w", p.name(), shorten(line), err)
	}
	return h, nil
}

func (p *Process) name() string { return strings.Join(p.Command, " ") }

// Answer asks one case.
func (p *Process) Answer(c *Case) Answer {
	line, err := p.ask(c.Line())
	if err != nil {
		lack := "the testee ended"
		if errors.Is(err, errLate) {
			lack = "not in time"
		}
		return Answer{Kind: Broken, Why: err.Error(), Lack: lack, Late: errors.Is(err, errLate)}
	}
	id, a, err := ParseAnswer(line)
	switch {
	case err != nil:
		p.end()
		return brokenf("a line that is none", "found the line %s\nwant a JSON object with the id and one of out, error and skipped: %v", shorten(line), err)
	case id != c.ID:
		p.end()
		return brokenf("one to another case", "found an answer to %q, want one to %q: one line of answer for each line, in order", id, c.ID)
	}
	return a
}

// ask writes a line to the program and reads the line that answers it.
func (p *Process) ask(request string) (string, error) {
	if p.closed {
		return "", ErrClosed
	}
	if p.running == nil {
		if err := p.start(); err != nil {
			return "", err
		}
	}
	r := p.running
	timeout := cmp.Or(p.Timeout, AnswerTimeout)
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(r.stdin, request+"\n")
		written <- err
	}()
	for {
		select {
		case <-written:
			// A failed write means that the program has ended. Its stdout then ends too, and that
			// case gives the better error.
			written = nil
		case line, ok := <-r.lines:
			if !ok {
				return "", p.died()
			}
			return line, nil
		case <-limit.C:
			p.end()
			return "", fmt.Errorf("%w within %v, want a line on stdout, flushed at once, for each line on stdin%s", errLate, timeout, r.said())
		}
	}
}

func (p *Process) start() error {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	ownGroup(cmd)
	r := &running{cmd: cmd, lines: make(chan string), stderr: &process.Tail{Max: stderrKept}}
	cmd.Stderr = r.stderr
	cmd.WaitDelay = time.Second
	var err error
	if r.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	// The pipe is made here because Wait closes a pipe made by exec, even while it is still being
	// read.
	stdout, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout = writer
	err = cmd.Start()
	writer.Close()
	if err != nil {
		stdout.Close()
		return fmt.Errorf("start: %w", err)
	}
	go r.read(stdout)
	p.running = r
	return nil
}

// read sends the lines of stdout to r.lines until stdout ends.
func (r *running) read(stdout *os.File) {
	defer stdout.Close()
	defer close(r.lines)
	reader := bufio.NewReader(stdout)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			r.lines <- strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			return
		}
	}
}

// died returns an error that says how the program ended.
func (p *Process) died() error {
	r := p.running
	p.running = nil
	// The program's stdout may end shortly before the program does. Wait up to a second, in order
	// to report the exit code.
	late := time.AfterFunc(time.Second, r.kill)
	defer late.Stop()
	err := r.cmd.Wait()
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	return fmt.Errorf("the testee ended without an answer: %s%s", how, r.said())
}

// end kills the program.
func (p *Process) end() {
	r := p.running
	if r == nil {
		return
	}
	p.running = nil
	r.kill()
	r.drain()
	// The program was killed, so its exit code says nothing.
	_ = r.cmd.Wait()
}

// kill kills the program's process group, and does nothing if it has ended already.
func (r *running) kill() { killGroup(r.cmd) }

// drain reads the rest of the output, and returns its first line.
func (r *running) drain() string {
	first := ""
	for l := range r.lines {
		first = cmp.Or(first, l)
	}
	return first
}

// Close closes the program's stdin and waits for the program to end. It returns an error if the
// exit code is not 0, or if the program wrote further output.
func (p *Process) Close() error {
	p.closed = true
	r := p.running
	if r == nil {
		return nil
	}
	p.running = nil
	timeout := cmp.Or(p.Timeout, AnswerTimeout)
	late := time.AfterFunc(timeout, r.kill)
	defer late.Stop()
	r.stdin.Close()
	extra := r.drain()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("testee %s: when its stdin was closed: found %w, want exit status 0 within %v%s", p.name(), err, timeout, r.said())
	}
	if extra != "" {
		return fmt.Errorf("testee %s: when its stdin was closed: found the line %s, want no more", p.name(), shorten(extra))
	}
	return nil
}

// shorten cuts a long line for a message, and quotes a line with unprintable characters.
func shorten(line string) string {
	const most = 200
	rest := ""
	if len(line) > most {
		rest = fmt.Sprintf("… (%d bytes)", len(line))
		line = strings.ToValidUTF8(line[:most], "")
	}
	if line == "" || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
		line = strconv.Quote(line)
	}
	return line + rest
}

// stderrKept is how many bytes from the end of stderr a message shows.
const stderrKept = 1000

// said returns the end of stderr as an addition to an error message, or "" if stderr is empty.
func (r *running) said() string {
	if text := strings.TrimSpace(r.stderr.String()); text != "" {
		return "; stderr ends with:\n" + text
	}
	return ""
}
