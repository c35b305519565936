package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of go test -json, as cmd/test2json describes it.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build-output and build-fail
	Test        string
	Output      string
	FailedBuild string // of a package's fail: the ImportPath that did not build
}

// counter counts tests and prints what is worth reading at once.
type counter struct {
	out      io.Writer
	each     func(result string) // is told of each package that ends, unless nil
	packages map[string]*pkg
	order    []*pkg              // as they began
	builds   map[string][]string // output of the compiler by ImportPath
	shown    map[string]bool     // builds whose output has been printed

	passed, failed, skipped int

	failures, skips, results []string // lines for the end
}

// pkg is one package under test.
type pkg struct {
	path   string
	tests  map[string]*test
	order  []*test  // as they began
	output []string // of no test
	ended  bool
}

// test is one test that has begun.
type test struct {
	name   string
	output []string
	result string // "", or pass, fail, skip
	parent bool   // a subtest of it has begun
	below  bool   // a subtest of it has failed
}

func newCounter(out io.Writer) *counter {
	return &counter{out: out, packages: map[string]*pkg{}, builds: map[string][]string{}, shown: map[string]bool{}}
}

// line takes one line of input. What is no event is printed as it is.
func (c *counter) line(line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		fmt.Fprintf(c.out, "%s\n", bytes.TrimRight(line, "\n"))
		return
	}
	switch e.Action {
	case "build-output":
		c.builds[e.ImportPath] = append(c.builds[e.ImportPath], e.Output)
		return
	case "build-fail":
		return // the packages that need it fail
	}
	p := c.pkg(e.Package)
	if e.Test == "" {
		c.packageEvent(p, e)
		return
	}
	p.event(e)
}

func (c *counter) pkg(path string) *pkg {
	p := c.packages[path]
	if p == nil {
		p = &pkg{path: path, tests: map[string]*test{}}
		c.packages[path] = p
		c.order = append(c.order, p)
	}
	return p
}

// test answers the named test, and makes it when it is new.
func (p *pkg) test(name string) *test {
	t := p.tests[name]
	if t == nil {
		t = &test{name: name}
		p.tests[name] = t
		p.order = append(p.order, t)
		if parent := p.parent(name); parent != nil {
			parent.parent = true
		}
	}
	return t
}

// parent is the test that the named one is a subtest of, or nil.
func (p *pkg) parent(name string) *test {
	i := strings.LastIndex(name, "/")
	if i < 0 {
		return nil
	}
	if t := p.tests[name[:i]]; t != nil {
		return t
	}
	return p.parent(name[:i]) // the name of the subtest itself has a slash
}

func (p *pkg) event(e event) {
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		t.output = append(t.output, e.Output)
	case "pass", "fail", "skip":
		t.result = e.Action
		if e.Action == "pass" {
			t.output = nil
		}
	}
}

// packageEvent is about the package as a whole; fail, pass and skip end it.
func (c *counter) packageEvent(p *pkg, e event) {
	switch e.Action {
	case "output":
		p.output = append(p.output, e.Output)
	case "pass", "fail", "skip":
		c.end(p, e)
	}
}

// end counts the package's tests and prints its failures.
func (c *counter) end(p *pkg, e event) {
	p.ended = true
	before := c.failed
	for _, t := range slices.Backward(p.order) {
		// A test that has no result was running when the package ended.
		if t.result == "fail" || t.result == "" {
			for q := p.parent(t.name); q != nil; q = p.parent(q.name) {
				q.below = true
			}
		}
	}
	for _, t := range p.order {
		c.count(p, t)
	}
	if e.Action == "fail" && c.failed == before {
		c.failed++
		c.failures = append(c.failures, p.path)
		c.print(c.buildOutput(e.FailedBuild))
	}
	if e.Action == "fail" {
		c.print(p.output)
	}
	result := lastLine(p.output)
	if !strings.Contains(result, p.path) {
		result = e.Action + "\t" + p.path // go test gave no line of its own
	}
	if !strings.HasSuffix(result, noTestFiles) {
		c.results = append(c.results, result)
	}
	if c.each != nil {
		c.each(result)
	}
}

// noTestFiles ends the line of a package that has nothing to count.
const noTestFiles = "[no test files]"

// count counts one test of a package that has ended.
func (c *counter) count(p *pkg, t *test) {
	label := p.path + "." + t.name
	switch {
	case t.result == "fail" || t.result == "":
		if t.result == "" {
			t.output = append(t.output, fmt.Sprintf("--- FAIL: %s (did not finish)\n", t.name))
		}
		c.print(t.output)
		if !t.below {
			c.failed++
			c.failures = append(c.failures, label)
		}
	case t.parent: // counts through its subtests
	case t.result == "skip":
		c.skipped++
		c.skips = append(c.skips, label+": "+skipReason(t.output))
	default:
		c.passed++
	}
}

// buildOutput is what the compiler said, the first time that it is asked for.
func (c *counter) buildOutput(importPath string) []string {
	if c.shown[importPath] {
		return nil
	}
	c.shown[importPath] = true
	return c.builds[importPath]
}

func (c *counter) print(output []string) {
	for _, o := range output {
		if !strings.HasPrefix(o, "=== ") { // the begin of a test says nothing
			io.WriteString(c.out, o)
		}
	}
}

// finish ends packages that never did and answers the closing lines.
func (c *counter) finish() string {
	for _, p := range c.order {
		if !p.ended {
			p.output = append(p.output, fmt.Sprintf("FAIL\t%s (go test ended before it did)\n", p.path))
			c.end(p, event{Action: "fail"})
		}
	}
	for _, lines := range [][]string{c.results, c.skips, c.failures} {
		slices.Sort(lines)
	}
	var b strings.Builder
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
	section("\nskipped:", c.skips)
	section("\nfailed:", c.failures)
	section("\npackages:", c.results)
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped)
	return b.String()
}

// skipReason is what the test said when it skipped itself.
func skipReason(output []string) string {
	var said []string
	for _, o := range output {
		text := strings.TrimSpace(o)
		if text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ") {
			continue
		}
		// "    x_test.go:12: reason"
		if file, rest, ok := strings.Cut(text, ": "); ok && strings.Contains(file, ".go:") {
			text = rest
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

func lastLine(output []string) string {
	for _, o := range slices.Backward(output) {
		if line := strings.TrimRight(o, "\n"); line != "" {
			return line
		}
	}
	return ""
}
