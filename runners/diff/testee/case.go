package testee

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Case is one question to a testee. Its values have the form that section 2 of the protocol
// describes, in pysem's types. Objects keep the order of their keys, and strings may contain lone
// surrogates.
type Case struct {
	ID, Op string
	// Env holds all environment variables of the case. nil means that there are none.
	Env *pysem.Dict
	// Host overrides entries of the fake host. Files holds files that are written before the
	// operation runs. nil means none.
	Host, Files *pysem.Dict
	In          *pysem.Dict
	// Shows names those fields of [Beside] that the answer must have.
	Shows []string
}

// Beside lists fields that an answer can have in addition to out or error: log lines, calls of
// metrics clients, and lengths of sleeps. An answer has those of these fields that the field shows
// of its case names.
var Beside = []string{"logs", "metrics", "waits"}

// Asks reports whether the answer must have a field of [Beside].
func (c *Case) Asks(field string) bool { return slices.Contains(c.Shows, field) }

// ParseCase parses a line into a case. Unknown fields are remarks and are ignored.
func ParseCase(line string) (*Case, error) {
	d, err := ParseObject(line)
	if err != nil {
		return nil, err
	}
	return caseOf(d)
}

func ParseObject(line string) (*pysem.Dict, error) {
	v, err := pysem.ParseJSON(line)
	if err != nil {
		return nil, fmt.Errorf("found no JSON: %w", err)
	}
	d, ok := v.(*pysem.Dict)
	if !ok {
		return nil, fmt.Errorf("found a JSON %s, want an object", pysem.TypeName(v))
	}
	return d, nil
}

func caseOf(d *pysem.Dict) (*Case, error) {
	c := &Case{}
	var err error
	text := func(name string) string {
		v, _ := d.Get(name)
		s, ok := v.(string)
		if !ok && err == nil {
			err = fmt.Errorf("%s: found %s, want a string", name, describe(v))
		}
		return s
	}
	object := func(name string, required bool) *pysem.Dict {
		v, present := d.Get(name)
		o, ok := v.(*pysem.Dict)
		if !ok && err == nil && (required || present && v != nil) {
			err = fmt.Errorf("%s: found %s, want an object", name, describe(v))
		}
		return o
	}
	c.ID, c.Op = text("id"), text("op")
	c.Env, c.Host, c.Files = object("env", false), object("host", false), object("files", false)
	c.In = object("in", true)
	if err == nil {
		c.Shows, err = showsOf(d)
	}
	return c, err
}

func showsOf(d *pysem.Dict) ([]string, error) {
	v, present := d.Get("shows")
	list, ok := v.([]any)
	if present && !ok {
		return nil, fmt.Errorf("shows: found %s, want a list of %v", describe(v), Beside)
	}
	var names []string
	for _, x := range list {
		name, _ := x.(string)
		if !slices.Contains(Beside, name) {
			return nil, fmt.Errorf("shows: found %s, want one of %v", describe(x), Beside)
		}
		names = append(names, name)
	}
	return names, nil
}

// describe writes a value for an error message, cut to a limited length.
func describe(v any) string {
	const most = 60
	if v == nil {
		return "nothing"
	}
	text := string(pysem.AppendJSON(nil, v))
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

// Object returns the case as an object in the protocol's form, without an answer.
func (c *Case) Object() *pysem.Dict {
	d := &pysem.Dict{}
	d.Set("id", c.ID)
	d.Set("op", c.Op)
	env := c.Env
	if env == nil {
		env = &pysem.Dict{}
	}
	d.Set("env", env)
	if c.Host != nil {
		d.Set("host", c.Host)
	}
	if c.Files != nil {
		d.Set("files", c.Files)
	}
	if len(c.Shows) > 0 {
		names := lists.Map(c.Shows, func(name string) any { return name })
		d.Set("shows", names)
	}
	d.Set("in", c.In)
	return d
}

// Line returns the case as a line of JSON, without a line break.
func (c *Case) Line() string { return string(pysem.AppendJSON(nil, c.Object())) }

// TextOf returns the string under a key of an object. ok is false if the value is missing or not a
// string.
func TextOf(d *pysem.Dict, key string) (string, bool) {
	v, _ := d.Get(key)
	s, ok := v.(string)
	return s, ok
}
