package quantity

import (
	"fmt"
	"strings"
)

// Call is a text of the form name(a, b, key=value), taken apart. Arguments may be calls
// themselves.
type Call struct {
	Name  string
	Args  []string          // those without a name, in order
	Named map[string]string // the others
}

// ParseCall takes a text apart; ok is false when it is no call.
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

// splitTop splits at commas outside of parentheses; an empty text has no parts.
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

// Take returns the named argument, or the next without a name, and removes it.
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

// Rest is an error for what is left of the arguments after all were taken.
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
