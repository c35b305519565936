package quantity

import (
	"fmt"
	"strings"
)

// Call is a parsed text of the form name(a, b, key=value). Arguments may be calls
// themselves.
type Call struct {
	Name  string
	Args  []string          // arguments without a name, in order
	Named map[string]string // arguments with a name
}

// ParseCall parses a text as a call. ok is false when the text does not have the form of a
// call.
func ParseCall(text string) (c Call, ok bool) {
	name, rest, found := strings.Cut(strings.TrimSpace(text), "(")
	if !found || !strings.HasSuffix(rest, ")") {
		return Call{}, false
	}
	c = Call{Name: strings.TrimSpace(name), Named: map[string]string{}}
	for _, part := range splitTop(strings.TrimSuffix(rest, ")")) {
		key, value, named := strings.Cut(part, "=")
		if named && !strings.Contains(key, "(") {
			c.Named[strings.TrimSpace(key)] = strings.TrimSpace(value)
		} else {
			c.Args = append(c.Args, part)
		}
	}
	return c, true
}

// splitTop splits a text at commas outside parentheses. An empty text has no parts.
func splitTop(text string) []string {
	var parts []string
	depth, begin := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	if last := strings.TrimSpace(text[begin:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// Take removes and returns the argument called name. If there is none, Take removes and returns the
// next unnamed argument. The bool is false when neither exists.
func (c *Call) Take(name string) (string, bool) {
	if v, ok := c.Named[name]; ok {
		delete(c.Named, name)
		return v, true
	}
	if len(c.Args) == 0 {
		return "", false
	}
	v := c.Args[0]
	c.Args = c.Args[1:]
	return v, true
}

// Rest returns an error that names an argument which no [Call.Take] has removed. It returns nil if
// all arguments were removed.
func (c *Call) Rest() error {
	if len(c.Args) > 0 {
		return fmt.Errorf("%s takes no further argument %q", c.Name, c.Args[0])
	}
	least := ""
	for name := range c.Named { //lint:order the least of them
		if least == "" || name < least {
			least = name
		}
	}
	if least != "" {
		return fmt.Errorf("%s has no parameter %q", c.Name, least)
	}
	return nil
}
