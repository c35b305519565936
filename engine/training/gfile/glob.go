package gfile

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// globbing contains the characters that make a path a pattern.
const globbing = `*?[\`

// Glob returns the paths that match a pattern (tf.io.gfile.glob). Every part of a path is a
// pattern, including the directories. "/models/run[1]/model.ckpt-5" therefore finds the file in
// /models/run1 (Q330). Use [Escape] to make a path match only itself. A path without pattern
// characters is returned unchanged if it exists. Results are grouped by directory and sorted within
// each, whereas TensorFlow has no defined order. testdata/record.py records TensorFlow's answers.
func Glob(f env.Files, pattern string) []string {
	if l, ok := f.(literal); ok {
		name := pysem.Basename(pattern)
		f, pattern = l.Files, Escape(strings.TrimSuffix(pattern, name))+name
	}
	first := strings.IndexAny(pattern, globbing)
	if first < 0 {
		if pattern != "" && env.Exists(f, cmp.Or(strings.TrimRight(pattern, "/"), "/")) {
			return []string{pattern}
		}
		return nil
	}
	if !strings.Contains(pattern[:first], "/") {
		pattern = "./" + pattern
		first += len("./")
	}
	start := strings.LastIndexByte(pattern[:first], '/')
	found := []string{pattern[:max(start, 1)]}
	if start > 0 && pattern[start-1] == '/' {
		return nil // the pattern has two slashes in a row, which no path has
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(pattern[start+1:], "/"), "/") {
		name := fnmatch(part)
		var next []string
		for _, dir := range found {
			next = append(next, matching(f, dir, name)...)
		}
		found = next
	}
	return found
}

// Literally returns a copy of e in whose files [Glob] takes directories literally and only the last
// name as a pattern. A job with Q330 repaired uses it.
func Literally(e *env.Env) *env.Env {
	own := *e
	own.Files = literal{e.Files}
	return &own
}

type literal struct{ env.Files }

// Escape returns a pattern that matches only the given path.
func Escape(path string) string { return escaper.Replace(path) }

var escaper = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// matching returns the paths in a directory whose names match. It returns none if dir is not a
// directory.
func matching(f env.Files, dir string, name func(string) bool) (found []string) {
	names, err := f.ReadDir(dir)
	if err != nil {
		return nil
	}
	return lists.Select(names, func(n string) (string, bool) { return pysem.JoinStrings(dir, n), name(n) })
}

// nothing matches no name.
const nothing = `[^\x00-\x{10FFFF}]`

// fnmatch returns a function that reports whether a name matches a pattern.
func fnmatch(pattern string) func(name string) bool {
	if texts, ok := plain(pattern); ok {
		return func(name string) bool { return inOrder(name, texts) }
	}
	return expression(pattern).MatchString
}

// plain returns the texts between the stars of a pattern. ok is false for a pattern that needs a
// regular expression, because it has other special characters or is not valid UTF-8.
func plain(pattern string) (texts []string, ok bool) {
	var b strings.Builder
	for p := []rune(pattern); len(p) > 0; p = p[1:] {
		switch {
		case p[0] == '?' || p[0] == '[' || p[0] == utf8.RuneError || p[0] == '\\' && len(p) == 1:
			return nil, false
		case p[0] == '*':
			texts = append(texts, b.String())
			b.Reset()
			continue
		case p[0] == '\\':
			if p = p[1:]; p[0] == utf8.RuneError {
				return nil, false
			}
		}
		b.WriteRune(p[0])
	}
	return append(texts, b.String()), true
}

// inOrder reports whether a name has the texts one after the other, the first at its beginning and
// the last at its end.
func inOrder(name string, texts []string) bool {
	last := len(texts) - 1
	if last == 0 {
		return name == texts[0]
	}
	name, ok := strings.CutPrefix(name, texts[0])
	for _, text := range texts[1:last] {
		if ok {
			_, name, ok = strings.Cut(name, text)
		}
	}
	return ok && strings.HasSuffix(name, texts[last])
}

// expression converts a name pattern to a regular expression with the rules of the C library's
// fnmatch. A backslash makes the next character literal, ! and ^ negate a bracket, [:digit:] and
// the like are classes, and an unclosed bracket matches itself. Unlike in a shell, * also matches a
// leading dot.
func expression(pattern string) *regexp.Regexp {
	var b strings.Builder
	for p := []rune(pattern); len(p) > 0; {
		n := 1
		switch c := p[0]; {
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteString(".")
		case c == '[':
			var class string
			class, n = bracket(p)
			b.WriteString(class)
		case c == '\\' && len(p) == 1:
			b.WriteString(nothing)
		case c == '\\':
			n = 2
			b.WriteString(quoted(p[1]))
		default:
			b.WriteString(quoted(c))
		}
		p = p[n:]
	}
	return regexp.MustCompile(`(?s)\A` + b.String() + `\z`)
}

// bracket converts the bracket at the start of p and returns its length in characters.
func bracket(p []rune) (class string, n int) {
	i := 1
	not := i < len(p) && (p[i] == '!' || p[i] == '^')
	if not {
		i++
	}
	var members strings.Builder
	for begin := i; ; {
		if i >= len(p) {
			return `\[`, 1
		}
		if p[i] == ']' && i > begin {
			break
		}
		if named, end, ok := namedClass(p[i:]); ok {
			if !posixClasses[named] {
				return nothing, len(p)
			}
			members.WriteString("[:" + named + ":]")
			i += end
			continue
		}
		var from, to rune
		if from, i = member(p, i); i >= len(p) {
			return `\[`, 1
		}
		to = from
		if p[i] == '-' && i+1 < len(p) && p[i+1] != ']' {
			if to, i = member(p, i+1); i > len(p) {
				return `\[`, 1
			}
		}
		if from <= to {
			members.WriteString(quoted(from) + "-" + quoted(to))
		}
	}
	switch n = i + 1; {
	case members.Len() > 0 && not:
		return "[^" + members.String() + "]", n
	case members.Len() > 0:
		return "[" + members.String() + "]", n
	case not:
		return ".", n
	}
	return nothing, n
}

// member reads one bracket member at i, written as c, \c, [.c.] or [=c=]. It returns the index of
// the next one.
func member(p []rune, i int) (c rune, next int) {
	if rest := p[i:]; len(rest) >= 5 && rest[0] == '[' && (rest[1] == '.' || rest[1] == '=') && rest[3] == rest[1] && rest[4] == ']' {
		return rest[2], i + 5
	}
	if p[i] == '\\' && i+1 < len(p) {
		i++
	}
	return p[i], i + 1
}

// posixClasses contains the names that are allowed between [: and :].
var posixClasses = map[string]bool{
	"alnum": true, "alpha": true, "blank": true, "cntrl": true, "digit": true, "graph": true,
	"lower": true, "print": true, "punct": true, "space": true, "upper": true, "xdigit": true,
}

// namedClass reads a class such as [:digit:].
func namedClass(p []rune) (name string, n int, ok bool) {
	rest, ok := strings.CutPrefix(string(p), "[:")
	if !ok {
		return "", 0, false
	}
	name, _, ok = strings.Cut(rest, ":]")
	if !ok || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", 0, false
	}
	return name, len("[:") + len(name) + len(":]"), true
}

// quoted escapes one character for a regular expression. The result is valid outside and inside
// square brackets.
func quoted(c rune) string {
	if c == '-' || c == '^' {
		return `\` + string(c)
	}
	return regexp.QuoteMeta(string(c))
}
