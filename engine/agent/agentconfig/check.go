package agentconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
	"github.com/monosim/monosim/engine/quirks"
)

// Problem is a mistake in a configuration file: its place, and what to write instead. The reference
// does not report most mistakes and continues with a default.
type Problem struct {
	Path string
	Line int // line number from 1; 0 for the file as a whole
	Key  string
	// Found and Want complete the sentence "found ..., want ...".
	Found, Want string
	// Fatal means that no agent can start with this mistake. For any other mistake the reference
	// uses a default.
	Fatal bool
	// NoNumber means that the key takes a number and the value is not one.
	NoNumber bool
}

// String returns "path:line: found ..., want ...".
func (p Problem) String() string {
	place := p.Path
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	return fmt.Sprintf("%s: found %s, want %s", place, p.Found, p.Want)
}

// CheckConf lists the problems of one configuration file, in the order of its lines. Problems of
// the file as a whole come last. It returns nil when there are none. It reads only content, not the
// files that content includes. path is the name of the file for the problems.
//
// Call it before an agent starts; [FromFile] reads the same file as the agent does.
func CheckConf(path string, content []byte) []Problem { return checkConf(configKeys, path, content) }

// UnknownKeys lists only the problems about keys that no agent knows.
func UnknownKeys(path string, content []byte) []Problem {
	return slices.DeleteFunc(CheckConf(path, content), func(p Problem) bool {
		_, known := configKeys.byName[p.Key]
		return known || !strings.HasPrefix(p.Found, "the unknown key")
	})
}

func checkConf(keys *keyTable, path string, content []byte) []Problem {
	c := confChecker{path: path, keys: keys, first: map[string]confUse{}}
	text, err := pysem.DecodeUTF8(content)
	if err != nil {
		c.fatal(0, "", "bytes that are not UTF-8", "UTF-8 text")
		return c.problems
	}
	for i, line := range pysem.Lines(text) {
		c.line(i+1, line)
	}
	c.whole()
	return c.problems
}

// confChecker checks a configuration file line by line and collects the problems.
type confChecker struct {
	path     string
	keys     *keyTable
	problems []Problem
	first    map[string]confUse // the first use of each key
	includes bool
	filters  []confUse
}

// confUse is the first use of a key: its line, its value, and how often the key occurs.
type confUse struct {
	line  int
	value string
	count int
}

func (c *confChecker) report(line int, key, found, want string) {
	c.problems = append(c.problems, Problem{Path: c.path, Line: line, Key: key, Found: found, Want: want})
}

// fatal reports a problem that keeps the agent from starting.
func (c *confChecker) fatal(line int, key, found, want string) {
	c.report(line, key, found, want)
	c.problems[len(c.problems)-1].Fatal = true
}

func (c *confChecker) line(number int, line string) {
	entry := parseConfLine(line, quirks.Python)
	switch entry.kind {
	case confInclude:
		c.includes = true
		if words := pysem.Fields(line); words[0] != "include" {
			c.report(number, words[0], fmt.Sprintf("the key %q, which is read as an include of %q (Q157)", words[0], entry.value), "include <path>")
		}
	case confSetting:
		c.setting(number, entry.key, entry.value)
	default:
		if text := pysem.Strip(line); text != "" && text[0] != '#' {
			c.report(number, text, fmt.Sprintf("%q without a value", text), "key = value")
		}
	}
}

func (c *confChecker) setting(number int, key, value string) {
	known, ok := c.keys.byName[key]
	if !ok {
		c.report(number, key, fmt.Sprintf("the unknown key %q", key), c.keys.nearest(key))
		return
	}
	use, seen := c.first[key]
	if !seen {
		use = confUse{line: number, value: value}
	}
	use.count++
	c.first[key] = use
	isList := known.Reading == ReadList
	switch {
	case value == "":
		c.report(number, key, key+" without a value", "a value, or no such line")
		return
	case use.count == 2 && !isList:
		c.report(number, key, fmt.Sprintf("%s again (first in line %d), which drops both (Q156)", key, use.line), "it once")
	case use.count == 3 && isList:
		c.report(number, key, fmt.Sprintf("a third %s, which is dropped (Q152)", key), "at most two")
	}
	if trimmed := pysem.RStrip(value); trimmed != value {
		c.report(number, key, fmt.Sprintf("%q with the blank before its comment (Q153)", value), fmt.Sprintf("%q on a line without comment", trimmed))
		value = trimmed
	}
	if key == "layout_filters" {
		c.filters = append(c.filters, confUse{line: number, value: value})
		return
	}
	c.value(number, known, value)
}

// value checks a value against what its key accepts.
func (c *confChecker) value(number int, key Key, value string) {
	found := fmt.Sprintf("%s %q", key.Name, value)
	if len(key.Words) > 0 {
		report := c.report
		if key.WrongIsFatal {
			report = c.fatal
		}
		if !slices.Contains(key.Words, pysem.Lower(value)) {
			report(number, key.Name, found, oneOf(key.Words))
		}
		return
	}
	if _, err := (Loader{Quirks: quirks.Fixed}).convert(key, value); err == nil {
		return
	}
	want := "a number, or a plain expression of numbers"
	if key.Reading == ReadBool {
		want = oneOf(slices.Concat(trueWords, falseWords))
	}
	c.report(number, key.Name, found, want)
	c.problems[len(c.problems)-1].NoNumber = key.Reading != ReadBool
}

func oneOf(words []string) string { return "one of " + strings.Join(words, ", ") }

// whole makes the checks that concern more than one line.
func (c *confChecker) whole() {
	standAlone := IsTrue(c.first["stand_alone_serving"].value)
	_, hasDeployType := c.first["deploy_type"]
	_, hasServerType := c.first["server_type"]
	if !c.includes && !standAlone && !hasDeployType && !hasServerType {
		c.fatal(0, "deploy_type", "no deploy_type", oneOf(c.keys.byName["server_type"].Words))
	}
	if c.first["agent_version"].value != "3" {
		return
	}
	use := c.first["deploy_type"]
	word := pysem.Lower(use.value)
	if hasDeployType && word != string(DeployUnified) && slices.Contains(c.keys.byName["deploy_type"].Words, word) {
		c.fatal(use.line, "deploy_type", fmt.Sprintf("deploy_type %q with agent_version 3", use.value), "unified")
	}
	for _, f := range c.filters {
		c.filter(f)
	}
}

// filter checks a filter "<pattern>;<condition>" as agent v3 reads it (agent_v3.py:72-81).
func (c *confChecker) filter(f confUse) {
	const key = "layout_filters"
	text := strings.NewReplacer("${shard_id}", "0", "${shard_num}", "1").Replace(f.value)
	pattern, condition, ok := strings.Cut(text, ";")
	if !ok {
		c.fatal(f.line, key, fmt.Sprintf("the filter %q without \";\" (Q22)", f.value), "<pattern>;<condition>, as ps_{i};i % 2 == 0")
		return
	}
	filter, err := NewLayoutFilter(NormalizeRegex(pattern), condition)
	if err != nil {
		c.fatal(f.line, key, fmt.Sprintf("the filter %q (%v)", f.value, err), "a pattern and a condition that are evaluated here")
		return
	}
	if filter.patternErr != nil {
		c.fatal(f.line, key, fmt.Sprintf("the filter pattern %q (%v)", pattern, filter.patternErr), "a regular expression with {name} for numbers")
		return
	}
	names := ConditionNames(nil)
	for _, id := range filter.pattern.Names() {
		names.Locals = append(names.Locals, expr.Name{ID: id, Value: 1})
	}
	err = filter.conditionErr
	if err == nil {
		_, err = filter.condition.Holds(names)
	}
	if err != nil {
		c.fatal(f.line, key, fmt.Sprintf("the filter condition %q (%v)", condition, err), "a condition on the pattern's names")
	}
}

// nearest returns the known key with the fewest edits to the given one. It returns "" if none is
// within three edits.
func (t *keyTable) nearest(key string) string {
	const maxEdits = 3
	best, edits := "", maxEdits+1
	for _, name := range t.names {
		if n := levenshtein.ComputeDistance(key, name); n < edits && n < len(name) {
			best, edits = name, n
		}
	}
	return cmp.Or(best, "a known key")
}
