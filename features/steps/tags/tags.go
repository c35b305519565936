// Package tags reads tag expressions as Cucumber has them, as "@v3 and not @slow".
//
// Two things to use first: [Parse] reads an expression; the [Filter] that it returns is
// called with the tags of a scenario.
//
// To change what an expression may say: the methods of parser, one for each kind of term.
//
// Unstable: any commit may change it.
package tags

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Filter reports whether a scenario with these tags is selected.
type Filter func(tags []string) bool

// Parse reads a tag expression as Cucumber has them: tags with and, or, not and
// parentheses; not binds most, or least. In a tag a backslash stands before blanks, parentheses
// and backslashes of the tag itself, as in @x\(1\); [Escape] writes them. Beyond Cucumber && stands
// for and, ~ before a tag or a parenthesis for not, and the words may be upper case. An empty text
// takes all scenarios. The error says what was found in place of what.
func Parse(text string) (Filter, error) {
	p := parser{left: token.FindAllString(text, -1)}
	if len(p.left) == 0 {
		return func([]string) bool { return true }, nil
	}
	f, err := p.either()
	if err == nil && len(p.left) > 0 {
		err = fmt.Errorf("found %q, want and, or, or the end", p.left[0])
	}
	if err != nil {
		return nil, fmt.Errorf(`%w; as in "@v3 and not (@slow or @outage)", or "@v3 && ~@slow"`, err)
	}
	return f, nil
}

var (
	token   = regexp.MustCompile(`[()~]|(?:\\[\s\S]|[^\s()~\\])(?:\\[\s\S]|[^\s()\\])*\\?|\\`)
	name    = regexp.MustCompile(`^@(?:\\[\s()\\]|[^\s()\\@])+$`)
	escaped = regexp.MustCompile(`\\([\s()\\])`)
	special = regexp.MustCompile(`[\s()\\]`)
)

// Escape returns a tag with its special characters escaped, for use in a tag expression.
func Escape(tag string) string { return special.ReplaceAllString(tag, `\$0`) }

// parser holds the tokens that are still to be read.
type parser struct{ left []string }

// next removes the next token if it is one of tokens, and reports whether it did.
func (p *parser) next(tokens ...string) bool {
	if len(p.left) == 0 || !slices.Contains(tokens, strings.ToLower(p.left[0])) {
		return false
	}
	p.left = p.left[1:]
	return true
}

// either parses terms that are joined by "or".
func (p *parser) either() (Filter, error) {
	f, err := p.both()
	for err == nil && p.next("or") {
		a := f
		var b Filter
		b, err = p.both()
		f = func(tags []string) bool { return a(tags) || b(tags) }
	}
	return f, err
}

// both parses terms that are joined by "and".
func (p *parser) both() (Filter, error) {
	f, err := p.term()
	for err == nil && p.next("and", "&&") {
		a := f
		var b Filter
		b, err = p.term()
		f = func(tags []string) bool { return a(tags) && b(tags) }
	}
	return f, err
}

// term parses a tag or an expression in parentheses. Each may have "not" in front.
func (p *parser) term() (Filter, error) {
	if p.next("not", "~") {
		f, err := p.term()
		return func(tags []string) bool { return !f(tags) }, err
	}
	if p.next("(") {
		f, err := p.either()
		if err == nil && !p.next(")") {
			err = fmt.Errorf("found %s, want )", p.found())
		}
		return f, err
	}
	if len(p.left) == 0 || !name.MatchString(p.left[0]) {
		return nil, fmt.Errorf("found %s, want a tag, not or (", p.found())
	}
	tag := escaped.ReplaceAllString(p.left[0], "$1")
	p.left = p.left[1:]
	return func(tags []string) bool { return slices.Contains(tags, tag) }, nil
}

func (p *parser) found() string {
	if len(p.left) == 0 {
		return "the end"
	}
	return fmt.Sprintf("%q", p.left[0])
}
