package testee

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem"
)

// Goal: a testee that dies, hangs or breaks the protocol loses only the case that it was asked, and
// the error gives a clear reason. Method: this test program itself runs as the testee, and the id
// of a case says how it fails.

const actAsTestee = "TESTEE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(actAsTestee) != "" {
		misbehave()
		return
	}
	os.Exit(m.Run())
}

func misbehave() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c, err := ParseCase(lines.Text())
		if err != nil {
			fmt.Println(Hello{Name: "test", Version: "0"}.line())
			continue
		}
		switch c.ID {
		case "dies":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		case "hangs":
			bufio.NewReader(os.Stdin).ReadByte() // blocks for ever, because nobody writes to it
		case "noise":
			fmt.Println("Listening on port 8500 ...")
			continue
		case "half":
			fmt.Print(`{"id":"half","o`)
			os.Exit(0)
		case "other":
			fmt.Println(Answer{Kind: Returned}.Line("somebody"))
			continue
		case "twice":
			fmt.Println(Answer{Kind: Returned}.Line(c.ID))
		}
		fmt.Println(Answer{Kind: Returned, Out: "fine"}.Line(c.ID))
	}
}

func newProcess(t *testing.T) *Process {
	t.Setenv(actAsTestee, "1")
	p := &Process{Command: []string{os.Args[0]}}
	t.Cleanup(p.end)
	return p
}

func TestABrokenTesteeCostsOneCase(t *testing.T) {
	cases := []struct{ id, want, lack string }{
		{"dies", "out of luck", "the testee ended"},
		{"dies", "the testee ended without an answer: exit status 3", "the testee ended"},
		{"hangs", "found no answer within 300ms", "not in time"},
		{"noise", "Listening on port 8500", "a line that is none"},
		{"noise", "want a JSON object with the id and one of out, error and skipped", "a line that is none"},
		{"half", "found no JSON", "a line that is none"},
		{"other", `found an answer to "somebody", want one to "other"`, "one to another case"},
	}
	for _, c := range cases {
		t.Run(c.id+" "+c.want, func(t *testing.T) {
			p := newProcess(t)
			for _, id := range []string{"good", c.id, "good"} {
				p.Timeout = AnswerTimeout
				if id == "hangs" {
					p.Timeout = 300 * time.Millisecond
				}
				got := p.Answer(&Case{ID: id, Op: "x", In: &pysem.Dict{}})
				switch {
				case id == "good" && (got.Kind != Returned || got.Out != "fine"):
					t.Errorf("a good case got %s %s", got.Kind, got)
				case got.Late != (id == "hangs"):
					t.Errorf("%s: got late %v", id, got.Late)
				case id == c.id && (got.Kind != Broken || !strings.Contains(got.Why, c.want) || got.Lack != c.lack):
					t.Errorf("got %s %q, %s, want broken with %q, %s", got.Kind, got.Why, got.Lack, c.want, c.lack)
				}
			}
		})
	}
}

func TestAnAnswerTooManyCostsTheNextCase(t *testing.T) {
	p := newProcess(t)
	first := p.Answer(&Case{ID: "twice", Op: "x", In: &pysem.Dict{}})
	second := p.Answer(&Case{ID: "next", Op: "x", In: &pysem.Dict{}})
	third := p.Answer(&Case{ID: "good", Op: "x", In: &pysem.Dict{}})
	if first.Kind != Returned || second.Kind != Broken || third.Kind != Returned {
		t.Errorf("got %v, %v, %v, want out, broken, out", first, second, third)
	}
}

func TestALineTooManyAtTheEndIsTold(t *testing.T) {
	p := newProcess(t)
	p.Answer(&Case{ID: "twice", Op: "x", In: &pysem.Dict{}})
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), `found the line {"id": "twice", "out": "fine"}, want no more`) {
		t.Errorf("got %v, want the line that is too many", err)
	}
}

func TestAProcessGreetsAndEnds(t *testing.T) {
	p := newProcess(t)
	h, err := p.Hello()
	if err != nil || h.Name != "test" {
		t.Errorf("got %v, %v, want the greeting of test", h, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if got := p.Answer(&Case{ID: "a", Op: "x", In: &pysem.Dict{}}); got.Kind != Broken {
		t.Errorf("a closed testee answers %v", got)
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	p := &Process{Command: []string{"/no/such/testee"}}
	if _, err := p.Hello(); err == nil || !strings.Contains(err.Error(), "/no/such/testee") {
		t.Errorf("got %v, want an error that names the program", err)
	}
	if _, err := StartProcess("  "); err == nil {
		t.Error("an empty command is taken")
	}
}
