package testee

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Serve reads requests from in, one per line, and writes an answer to out for each, until in ends.
// A line asks for the greeting or holds a case. Any other line is answered with an error of type
// BadCase. Lines may have any length.
func Serve(t Testee, in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	for {
		line, err := reader.ReadString('\n')
		if text := strings.TrimSpace(line); text != "" {
			if _, err := writer.WriteString(answerLine(t, text) + "\n"); err != nil {
				return err
			}
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func answerLine(t Testee, line string) string {
	bad := func(id string, err error) string {
		return Answer{Kind: Raised, Type: BadCaseType, Message: err.Error()}.Line(id)
	}
	d, err := ParseObject(line)
	if err != nil {
		return bad("", err)
	}
	if op, _ := d.Get("op"); op == "hello" {
		hello, err := t.Hello()
		if err != nil {
			return bad("", err)
		}
		return hello.line()
	}
	c, err := caseOf(d)
	if err != nil {
		return bad(c.ID, err)
	}
	return t.Answer(c).Line(c.ID)
}

func (h Hello) line() string {
	ops := lists.Map(h.Ops, func(op string) any { return op })
	d := &pysem.Dict{}
	d.Set("name", h.Name)
	d.Set("version", h.Version)
	d.Set("ops", ops)
	return string(pysem.AppendJSON(nil, d))
}

// parseHello reads a greeting.
func parseHello(line string) (Hello, error) {
	d, err := ParseObject(line)
	if err != nil {
		return Hello{}, err
	}
	var h Hello
	for _, field := range []struct {
		name string
		to   *string
	}{{"name", &h.Name}, {"version", &h.Version}} {
		v, _ := d.Get(field.name)
		text, ok := v.(string)
		if !ok {
			return Hello{}, fmt.Errorf("%s: found %s, want a string", field.name, describe(v))
		}
		*field.to = text
	}
	ops, _ := d.Get("ops")
	list, ok := ops.([]any)
	if !ok {
		return Hello{}, fmt.Errorf("ops: found %s, want a list of strings", describe(ops))
	}
	for i, v := range list {
		op, ok := v.(string)
		if !ok {
			return Hello{}, fmt.Errorf("ops[%d]: found %s, want a string", i, describe(v))
		}
		h.Ops = append(h.Ops, op)
	}
	return h, nil
}
