// Package datapatterns finds the files from which a data set is read.
//
// Two things to use first:
//
//   - [InputPatterns] expands the templates of the flag dataset_input_patterns (datasets.py:151).
//   - [FromPattern] lists the files of a comma-separated list, a glob or a @list, as the Rust port
//     does; [Records] reads them.
//
// The two pattern languages have nothing in common (TRN-5.19).
//
// To change:
//
//   - what a template is: templates.go
//   - which files a directory by date has: dated.go
//   - the Rust port's patterns: from_pattern.go
//
// Unstable: any commit may change it.
package datapatterns

import (
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Finder returns the files that match a pattern (tf.io.gfile.glob).
type Finder func(pattern string) ([]string, error)

// InputPatterns expands the flag dataset_input_patterns (datasets.py:151).
// {DATE(20201120,20201122)} stands for each day, {DATE(2020112022,2020112101)} for each hour, and
// {INT(0,5)} for each number, with both ends included. The leftmost template changes slowest.
// Spaces are ignored. Patterns for which find returns nothing or an error are left out. It raises
// an AssertionError if none is left. An empty flag returns nil. It logs what it finds.
//
// Cost: it grows with the product of the templates' numbers of texts, for each of which the files are
// searched once.
func InputPatterns(log env.Log, flag string, find Finder) ([]string, error) {
	if flag == "" {
		return nil, nil
	}
	flag = strings.ReplaceAll(flag, " ", "")
	log.Logf(env.Info, "The original string is : %s", flag)
	frame, templates := framed(flag)
	log.Logf(env.Info, "input_pattern %s", frame)
	log.Logf(env.Info, "all_pattern_tmp %s", pysem.Repr(anyOf(templates)))
	choices, err := expand(templates)
	if err != nil {
		return nil, err
	}
	log.Logf(env.Info, "all_pattern_format %s", shown(templates, choices))
	kept := []string{}
	err = product(choices, nil, func(choice []string) error {
		pattern, err := format(frame, choice)
		if err != nil {
			return err
		}
		switch found, err := find(pattern); {
		case err != nil:
			log.Logf(env.Warning, "pattern not match any files: %s with error: %s", pattern, strings.TrimPrefix(err.Error(), pysem.TypeOf(err)+": "))
		case len(found) == 0:
			log.Logf(env.Warning, "pattern not match any files: %s", pattern)
		default:
			kept = append(kept, pattern)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	log.Logf(env.Info, "all_input_files %s", pysem.Repr(anyOf(kept)))
	if len(kept) == 0 {
		return nil, pysem.Raise("AssertionError", "no match files")
	}
	return kept, nil
}

func anyOf(texts []string) []any { return lists.Map(texts, func(t string) any { return t }) }

// shown returns the texts of all templates as the repr of a Python list of lists. The texts of an
// INT template are shown as numbers.
func shown(templates []string, choices [][]string) string {
	parts := make([]string, len(choices))
	for i, list := range choices {
		parts[i] = pysem.Repr(anyOf(list))
		if strings.HasPrefix(templates[i], "INT") {
			parts[i] = "[" + strings.Join(list, ", ") + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// mostPatterns is the maximum number of patterns of a flag. The reference has no limit (Q270).
const mostPatterns = 1 << 22

// product passes every combination of one element per list to the function each. The last list
// changes fastest.
func product(lists [][]string, chosen []string, each func(choice []string) error) error {
	if len(lists) == 0 {
		return each(chosen)
	}
	for _, text := range lists[0] {
		if err := product(lists[1:], append(slices.Clip(chosen), text), each); err != nil {
			return err
		}
	}
	return nil
}

// framed splits a flag into a frame, which has {} in place of each template, and the templates.
func framed(flag string) (frame string, templates []string) {
	var b strings.Builder
	for {
		open := strings.IndexByte(flag, '{')
		if open < 0 {
			return b.String() + flag, templates
		}
		length := closing(flag[open:])
		if length < 0 {
			b.WriteString(flag[:open+1])
			flag = flag[open+1:]
			continue
		}
		templates = append(templates, flag[open+1:open+length-1])
		b.WriteString(flag[:open] + "{}")
		flag = flag[open+length:]
	}
}

// expand returns the texts of each template.
func expand(templates []string) (choices [][]string, err error) {
	count := big.NewInt(1)
	for _, template := range templates {
		list, n, err := texts(template)
		if err != nil {
			return nil, err
		}
		if count.Mul(count, big.NewInt(int64(n))).Cmp(big.NewInt(mostPatterns)) > 0 {
			return nil, tooMany(count.String())
		}
		choices = append(choices, list)
	}
	return choices, nil
}

func tooMany(count string) error {
	return pysem.Raise("MemoryError", "input patterns: found %s patterns, want %d at most (Q270)", count, mostPatterns)
}

// closing returns the length of the template at the start of text, up to the next closing brace on
// the same line. It returns -1 if there is none.
func closing(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 0 || strings.Contains(text[:end], "\n") {
		return -1
	}
	return end + 1
}

// texts returns the texts that a template stands for, and their number. template has no braces.
func texts(template string) (list []string, n int, err error) {
	parts := split(template)
	if len(parts) != 4 || parts[0] != "DATE" && parts[0] != "INT" {
		return nil, 0, &pysem.Error{Type: "AssertionError"}
	}
	if parts[0] == "INT" {
		list, err = numbers(parts[1], parts[2])
	} else {
		list, err = dates(parts[1], parts[2])
	}
	return list, len(list), err
}

// split splits text at each parenthesis and comma.
func split(text string) []string {
	var parts []string
	for {
		at := strings.IndexAny(text, "(,)")
		if at < 0 {
			return append(parts, text)
		}
		parts, text = append(parts, text[:at]), text[at+1:]
	}
}

func numbers(first, last string) ([]string, error) {
	from, err := pysem.ParseInt(first)
	if err != nil {
		return nil, err
	}
	to, err := pysem.ParseInt(last)
	if err != nil {
		return nil, err
	}
	count := new(big.Int).Sub(to, from)
	if count.Add(count, big.NewInt(1)).Cmp(big.NewInt(mostPatterns)) > 0 {
		return nil, tooMany(count.String())
	}
	var list []string
	for n := new(big.Int).Set(from); n.Cmp(to) <= 0; n.Add(n, big.NewInt(1)) {
		list = append(list, n.String())
	}
	return list, nil
}

// These are the numbers of digits of a day and of an hour.
const (
	dayDigits  = 8
	hourDigits = 10
)

func dates(first, last string) ([]string, error) {
	length := utf8.RuneCountInString(first)
	if length != utf8.RuneCountInString(last) {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	if length != dayDigits && length != hourDigits {
		return nil, pysem.Raise("AssertionError", "not support %s %s", first, last)
	}
	from, err := moment(first)
	if err != nil {
		return nil, err
	}
	to, err := moment(last)
	if err != nil {
		return nil, err
	}
	step, layout := 24*time.Hour, "0102"
	if length == hourDigits {
		step, layout = time.Hour, "010215"
	}
	var list []string
	for at := from; !at.After(to); at = at.Add(step) {
		if len(list) == mostPatterns {
			return nil, tooMany("more")
		}
		// Python does not pad years before 1000 with zeros.
		list = append(list, pysem.Str(at.Year())+at.Format(layout))
	}
	return list, nil
}

// moment parses YYYYMMDD or YYYYMMDDHH as strptime does. Some digits may be of any script: those of
// the year, and the second digit of a day or an hour if its first digit allows any second digit.
func moment(text string) (time.Time, error) {
	wrong := pysem.Raise("ValueError", "time data %s does not match the format", pysem.Repr(text))
	digits := []rune(text)
	var units [4]int
	for i, part := range [][2]int{{0, 4}, {4, 6}, {6, 8}, {8, len(digits)}} {
		if part[0] == part[1] {
			break
		}
		n, err := pysem.ParseInt(string(digits[part[0]:part[1]]))
		if err != nil || !n.IsInt64() || !plainDigits(digits[part[0]:part[1]], i) {
			return time.Time{}, wrong
		}
		units[i] = int(n.Int64())
	}
	at := time.Date(units[0], time.Month(units[1]), units[2], units[3], 0, 0, 0, time.UTC)
	if at.Year() != units[0] || int(at.Month()) != units[1] || at.Day() != units[2] || at.Hour() != units[3] || units[0] == 0 {
		return time.Time{}, wrong
	}
	return at, nil
}

// plainDigits reports whether strptime accepts the digits of a part (year, month, day or hour).
func plainDigits(digits []rune, part int) bool {
	for i, r := range digits {
		other := part == 0 || i == 1 && (part == 2 && strings.ContainsRune("12", digits[0]) || part == 3 && strings.ContainsRune("01", digits[0]))
		if (r < '0' || r > '9') && (!other || strings.ContainsRune("+-_ \t\n\v\f\r", r)) {
			return false
		}
	}
	return true
}

// format fills the {} fields of a frame, as str.format does.
func format(frame string, choice []string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(frame); i++ {
		c := frame[i]
		if c != '{' && c != '}' {
			b.WriteByte(c)
			continue
		}
		next := byte(0)
		if i+1 < len(frame) {
			next = frame[i+1]
		}
		switch {
		case next == c:
			b.WriteByte(c)
			i++
		case c == '}':
			return "", pysem.Raise("ValueError", "Single '}' encountered in format string")
		case next == '}':
			b.WriteString(choice[0])
			choice = choice[1:]
			i++
		case next == 0:
			return "", pysem.Raise("ValueError", "Single '{' encountered in format string")
		default:
			return "", strayBrace(frame[i+1:])
		}
	}
	return b.String(), nil
}

// strayBrace returns the error for a field that is not a template because its closing brace is not
// on the same line.
func strayBrace(rest string) error {
	field, _, ends := strings.Cut(rest, "}")
	if !ends || strings.Contains(field, "{") {
		return pysem.Raise("ValueError", "expected '}' before end of string")
	}
	return pysem.Raise("KeyError", "%s", pysem.Repr(field))
}
