package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxProblem reports where a text is not valid YAML, with what was found and what is
// wanted there.
func syntaxProblem(path string, text []byte, err error) Problems {
	near, message := 1, err.Error()
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		message = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			near = n
		}
	}
	found := slipOf(string(text), near)
	if m := unknownAlias.FindStringSubmatch(message); m != nil {
		found = aliasIn(string(text), "*"+m[1])
	}
	if found == nil {
		line := ""
		if list := strings.Split(string(text), "\n"); near <= len(list) {
			line = cut(strings.TrimSpace(list[near-1]))
		}
		found = &slip{near, 1, fmt.Sprintf("found %q, want lines as \"key: value\" (%s)", line, message)}
	}
	return Problems{{Code: fileError, File: path, Line: found.line, Column: found.column, Message: "no YAML: " + found.what}}
}

var unknownAlias = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// aliasIn finds where a text uses a YAML alias that is not defined.
func aliasIn(text, alias string) *slip {
	for i, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, alias); at >= 0 {
			return &slip{i + 1, at + 1, fmt.Sprintf("found %q, the alias of nothing, want the value itself, or quotes around it", alias)}
		}
	}
	return nil
}

// slip is a YAML syntax error, with its place counted from 1.
type slip struct {
	line, column int
	what         string
}

// cut shortens a text to 40 characters for a message.
func cut(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}

// slipOf finds the likely syntax error in a text that the YAML parser has refused near a
// line. That is a bracket or quote without its other end, or else the nearest line that does
// not look like YAML. It returns nil if it finds none.
func slipOf(text string, near int) *slip {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	s := scanner{}
	for i, line := range lines {
		if bad := s.scan(i+1, line); bad != nil {
			return bad
		}
	}
	var best *slip
	for _, one := range append(s.slips, s.unclosed()...) {
		if best == nil || distance(one.line, near) < distance(best.line, near) {
			best = &one
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// scanner looks for syntax errors in a text, line by line.
type scanner struct {
	open    []opened // brackets that are open, outermost first; an open quote comes last
	columns []int    // columns at which the open YAML mappings begin
	valued  bool     // whether the key of the previous line has a value on that line
	slips   []slip
}

type opened struct {
	line, column int
	with         byte
}

var closes = map[byte]byte{'{': '}', '[': ']', '"': '"', '\'': '\''}

// unclosed returns the innermost bracket or quote that is never closed, as a slip.
func (s *scanner) unclosed() []slip {
	if len(s.open) == 0 {
		return nil
	}
	first := s.open[len(s.open)-1]
	return []slip{{first.line, first.column, fmt.Sprintf("found %q that nothing closes, want %q", first.with, closes[first.with])}}
}

// scan reads one line. It returns a definite syntax error, and records likely ones in slips.
func (s *scanner) scan(n int, line string) *slip {
	if !utf8.ValidString(line) {
		return &slip{n, 1, "found bytes that are no UTF-8, want text"}
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
		return &slip{n, i + 1, fmt.Sprintf("found the control character %q, want text", line[i])}
	}
	if len(s.open) == 0 {
		s.block(n, line)
	}
	return s.brackets(n, line)
}

// brackets tracks brackets and quotes through a line, and returns a definite error.
func (s *scanner) brackets(n int, line string) *slip {
	// begins says whether a value may begin at i, and closed whether a bracket was closed on this
	// line
	begins, closed := true, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		top := byte(0)
		if len(s.open) > 0 {
			top = s.open[len(s.open)-1].with
		}
		switch {
		case top == '"' && c == '\\', top == '\'' && c == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
		case top == '"' || top == '\'':
			if c == top {
				s.open = s.open[:len(s.open)-1]
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return nil
		case begins && closes[c] != 0:
			s.open = append(s.open, opened{n, i + 1, c})
			begins = c == '{' || c == '['
			continue
		case top == 0 && closed && (c == '}' || c == ']'):
			return &slip{n, i + 1, fmt.Sprintf("found %q that closes nothing, want the line's end", c)}
		case top != 0 && (c == '}' || c == ']'):
			closed = true
			if closes[top] != c {
				from := s.open[len(s.open)-1]
				return &slip{n, i + 1, fmt.Sprintf("found %q, want %q for the %q at %d:%d", c, closes[top], top, from.line, from.column)}
			}
			s.open = s.open[:len(s.open)-1]
		}
		begins = c == ' ' && begins || top != 0 && c == ',' || (c == ' ' || c == '\t') && i > 0 && strings.IndexByte(":-", line[i-1]) >= 0
	}
	return nil
}

var (
	glued     = regexp.MustCompile(`^(?:- +)?"?[A-Za-z_][\w.]*"?:[^\s:/]`)
	keyed     = regexp.MustCompile(`^(?:- +)?("[^"]*"|'[^']*'|[^\s"'{\[#:][^#:]*?):(\s+(.*))?$`)
	wordsOnly = regexp.MustCompile(`^[\w.]+ +\S`)
)

// block checks a line that is outside of brackets and quotes.
func (s *scanner) block(n int, line string) {
	body := strings.TrimLeft(line, " ")
	column := len(line) - len(body) + 1
	slipped := func(format string, args ...any) {
		s.slips = append(s.slips, slip{n, column, fmt.Sprintf(format, args...)})
	}
	body = strings.TrimRight(body, " \t")
	if body == "" || strings.IndexByte("#{[", body[0]) >= 0 || body == "---" {
		return
	}
	if body[0] == '\t' {
		slipped("found a tab in front of %q, want spaces", cut(strings.TrimSpace(body)))
		return
	}
	if i := strings.Index(body, " #"); i >= 0 {
		body = strings.TrimSpace(body[:i])
	}
	item := strings.HasPrefix(body, "- ") || body == "-"
	m := keyed.FindStringSubmatch(body)
	switch {
	case glued.MatchString(body):
		slipped("found %q, want a space behind the colon", cut(body))
	case m == nil && !item:
		want := "\"key: value\""
		if wordsOnly.MatchString(body) {
			want = fmt.Sprintf("a colon, as %q", cut(strings.Replace(body, " ", ": ", 1)))
		}
		slipped("found %q, want %s", cut(body), want)
	case m != nil:
		s.indented(column, item, slipped)
		s.value(m[3], slipped)
	}
	s.valued = m != nil && m[3] != ""
}

// value checks the text after a colon.
func (s *scanner) value(text string, slipped func(string, ...any)) {
	if text == "" || strings.IndexByte(`"'{[`, text[0]) >= 0 {
		return
	}
	switch {
	case strings.IndexByte("@`%", text[0]) >= 0:
		slipped("found %q, which no value begins with, want it in quotes", cut(text))
	case strings.Contains(text, ": "):
		slipped("found a second colon in %q, want a line for each key, or the value in quotes", cut(text))
	}
}

// indented checks the indentation of a line that begins with a key.
func (s *scanner) indented(column int, item bool, slipped func(string, ...any)) {
	if item {
		s.columns = append(slices.DeleteFunc(s.columns, func(c int) bool { return c > column }), column+2)
		s.valued = true
		return
	}
	top := 0
	if len(s.columns) > 0 {
		top = s.columns[len(s.columns)-1]
	}
	switch {
	case column > top && top > 0 && s.valued:
		slipped("found %d spaces in front of a key that belongs to none, want %d", column-1, top-1)
		return
	case column < top && !slices.Contains(s.columns, column):
		want := lists.MapOrNil(s.columns, func(c int) string { return strconv.Itoa(c - 1) })
		slipped("found %d spaces in front of a key, want one of %s, as above", column-1, strings.Join(slices.Compact(want), ", "))
	}
	s.columns = append(slices.DeleteFunc(s.columns, func(c int) bool { return c >= column }), column)
}
