// Command testcount turns the events of `go test -json` into what a person or a
// build log needs: failures with their output, skipped tests with their reasons,
// a line for each package, and at the end one line of totals.
//
//	go test -json ./... | go run ./cmd/testcount
//
// The last line is `N passed, N failed, N skipped`. It counts each test once:
// one with subtests counts through them, unless it fails by itself. A package
// that fails without a failing test (it does not build, it exits, it times out)
// counts as one failure. The exit code is 0 when nothing failed, 1 when
// something did, and 2 when the input shows no tests at all; the exit code of
// `go test` is not needed.
//
// The two things to use first are [counter.line], which takes one line of input,
// and [counter.finish]. To change what is counted look in count.go; what is
// printed while tests run, progress.go.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// Exit codes of the command.
const (
	exitPassed = 0
	exitFailed = 1
	exitNoRun  = 2
)

func main() {
	summary := flag.String("summary", "", "also write the closing lines to this `file`")
	flag.Parse()
	c := newCounter(os.Stdout)
	var ticks <-chan time.Time
	if isTerminal(os.Stdout) {
		c.each = func(result string) { fmt.Println(result) }
	} else {
		ticks = time.Tick(progressPeriod)
	}
	code, err := run(c, os.Stdin, ticks, *summary)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
	}
	os.Exit(code)
}

// run counts events until in ends. At each tick it prints how far the tests are.
func run(c *counter, in io.Reader, ticks <-chan time.Time, summary string) (int, error) {
	began := time.Now()
	lines, ended := readLines(in)
	for open := true; open; {
		select {
		case line, ok := <-lines:
			open = ok
			if ok {
				c.line(line)
			}
		case now := <-ticks:
			fmt.Fprintf(c.out, "… %s: %s\n", now.Sub(began).Round(time.Second), c.standing())
		}
	}
	if err := <-ended; err != nil {
		return exitNoRun, fmt.Errorf("reading events: %w", err)
	}
	closing := c.finish()
	fmt.Fprint(c.out, closing)
	if summary != "" {
		if err := os.WriteFile(summary, []byte(closing), 0o644); err != nil {
			return exitNoRun, err
		}
	}
	switch {
	case c.failed > 0:
		return exitFailed, nil
	case c.passed+c.skipped == 0:
		return exitNoRun, fmt.Errorf("no test ran: go test said nothing of one")
	}
	return exitPassed, nil
}

// readLines sends the lines of in, and then how reading ended: nil at its end.
func readLines(in io.Reader) (<-chan []byte, <-chan error) {
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(lines)
		for r := bufio.NewReader(in); ; {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				ended <- err
				return
			}
		}
	}()
	return lines, ended
}

// isTerminal says whether a person watches the file.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
