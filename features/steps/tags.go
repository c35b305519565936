package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tagFilter reports whether a scenario with these tags is taken.
type tagFilter func(tags []string) bool

// parseTags reads a tag expression as Cucumber has them: tags with and, or, not and
// parentheses; not binds most, or least. && stands for and, ~ for not. An empty text takes
// all scenarios. The error is an [*InputError].
func parseTags(text string) (tagFilter, error) {
	p := tagParser{left: tagToken.FindAllString(text, -1)}
	if len(p.left) == 0 {
		return func([]string) bool { return true }, nil
	}
	f, err := p.either()
	if err == nil && len(p.left) > 0 {
		err = fmt.Errorf("found %q, want and, or, or the end", p.left[0])
	}
	if err != nil {
		return nil, &InputError{Where: "tags " + text, Text: err.Error() + `; as in "@v3 and not (@slow or @outage)", or "@v3 && ~@slow"`}
	}
	return f, nil
}

var (
	tagToken = regexp.MustCompile(`[()~]|[^\s()~]+`)
	tagName  = regexp.MustCompile(`^@[\w.:-]+$`)
)

// tagParser has the tokens that are still to read.
type tagParser struct{ left []string }

// next takes the next token if it is one of these.
func (p *tagParser) next(tokens ...string) bool {
	if len(p.left) == 0 || !slices.Contains(tokens, strings.ToLower(p.left[0])) {
		return false
	}
	p.left = p.left[1:]
	return true
}

// either reads terms joined by or.
func (p *tagParser) either() (tagFilter, error) {
	f, err := p.both()
	for err == nil && p.next("or") {
		a := f
		var b tagFilter
		b, err = p.both()
		f = func(tags []string) bool { return a(tags) || b(tags) }
	}
	return f, err
}

// both reads terms joined by and.
func (p *tagParser) both() (tagFilter, error) {
	f, err := p.term()
	for err == nil && p.next("and", "&&") {
		a := f
		var b tagFilter
		b, err = p.term()
		f = func(tags []string) bool { return a(tags) && b(tags) }
	}
	return f, err
}

// term reads a tag, an expression in parentheses, or one of them with not before it.
func (p *tagParser) term() (tagFilter, error) {
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
	if len(p.left) == 0 || !tagName.MatchString(p.left[0]) {
		return nil, fmt.Errorf("found %s, want a tag, not or (", p.found())
	}
	tag := p.left[0]
	p.left = p.left[1:]
	return func(tags []string) bool { return slices.Contains(tags, tag) }, nil
}

func (p *tagParser) found() string {
	if len(p.left) == 0 {
		return "the end"
	}
	return fmt.Sprintf("%q", p.left[0])
}
