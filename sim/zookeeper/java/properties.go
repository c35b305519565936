package java

import (
	"fmt"
	"strconv"
	"strings"
)

// Property is an entry of a properties file. Line is the number of its first line, from 1.
type Property struct {
	Key, Value string
	Line       int
}

// Properties reads text as Java's Properties do (Properties.java, load). The error is of the first
// entry that cannot be read, and names its line.
func Properties(text string) (list []Property, err error) {
	for _, l := range logicalLines(text) {
		p, err := l.split()
		if err != nil {
			return nil, fmt.Errorf("%d: %w", l.Line, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// blanks are the characters that separate a key from its value.
const blanks = " \t\f"

// line is a line of a properties file, with those that continue it.
type line struct {
	text string
	Line int
}

// logicalLines returns the lines that are no comments. A backslash at the end of a line continues it.
func logicalLines(text string) (lines []line) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	continued := false
	for i, one := range strings.Split(text, "\n") {
		one = strings.TrimLeft(one, blanks)
		if !continued && (one == "" || one[0] == '#' || one[0] == '!') {
			continue
		}
		backslashes := len(one) - len(strings.TrimRight(one, `\`))
		goesOn := backslashes%2 == 1
		if goesOn {
			one = one[:len(one)-1]
		}
		if continued {
			lines[len(lines)-1].text += one
		} else {
			lines = append(lines, line{one, i + 1})
		}
		continued = goesOn
	}
	return lines
}

// split splits a line into its key and its value. A line without a separator has an empty value.
func (l line) split() (p Property, err error) {
	end := 0
	for end < len(l.text) && !strings.ContainsRune("=:"+blanks, rune(l.text[end])) {
		if l.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(l.text))
	rest := strings.TrimLeft(l.text[end:], blanks)
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = rest[1:]
	}
	p.Line = l.Line
	if p.Key, err = unescaped(l.text[:end]); err == nil {
		p.Value, err = unescaped(strings.TrimLeft(rest, blanks))
	}
	return p, err
}

// unescaped resolves the backslashes of a key or value.
func unescaped(text string) (string, error) {
	var b strings.Builder
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, `\`)
		b.WriteString(before)
		if !found || after == "" {
			break
		}
		rest = after[1:]
		switch after[0] {
		case 'u':
			unit, err := strconv.ParseUint(after[1:min(5, len(after))], 16, 16)
			if err != nil || len(after) < 5 {
				return "", fmt.Errorf(`found \%.5s, want four hexadecimal digits after \u`, after)
			}
			b.WriteRune(rune(unit))
			rest = after[5:]
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		default:
			b.WriteByte(after[0])
		}
	}
	return b.String(), nil
}
