package agent

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/engine/pysem"
)

// Problem is something in a configuration file that a person should hear about,
// although the reference often says nothing and goes on with a default.
type Problem struct {
	Path string
	Line int // from 1; 0 for the file as a whole
	Key  string
	// Found and Want complete the sentence "found ..., want ...".
	Found, Want string
	// Fatal says that no agent can start with it; the rest the reference passes
	// over with a default.
	Fatal bool
}

// String is "path:line: found ..., want ...".
func (p Problem) String() string {
	place := p.Path
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	return fmt.Sprintf("%s: found %s, want %s", place, p.Found, p.Want)
}

// CheckConf lists the problems of one configuration file, in the order of its
// lines. Files that it includes are not looked at.
func CheckConf(path string, content []byte) []Problem {
	c := confChecker{path: path, first: map[string]confUse{}}
	text, err := pysem.DecodeUTF8(content)
	if err != nil {
		c.fatal(0, "", "bytes that are not UTF-8", "UTF-8 text")
		return c.problems
	}
	for i, line := range textLines(text) {
		c.line(i+1, line)
	}
	c.whole()
	return c.problems
}

// confChecker goes through a file line by line.
type confChecker struct {
	path     string
	problems []Problem
	first    map[string]confUse // by key
	includes bool
	filters  []confUse
}

// confUse is a value and where it stands.
type confUse struct {
	line  int
	value string
	count int
}

func (c *confChecker) report(line int, key, found, want string) {
	c.problems = append(c.problems, Problem{Path: c.path, Line: line, Key: key, Found: found, Want: want})
}

// fatal reports what keeps the agent from starting.
func (c *confChecker) fatal(line int, key, found, want string) {
	c.report(line, key, found, want)
	c.problems[len(c.problems)-1].Fatal = true
}

func (c *confChecker) line(number int, line string) {
	entry := parseConfLine(line, Python)
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
	i, known := configFieldIndex[key]
	if !known && key != "server_type" {
		c.report(number, key, fmt.Sprintf("the unknown key %q", key), nearestKey(key))
		return
	}
	use, seen := c.first[key]
	if !seen {
		use = confUse{line: number, value: value}
	}
	use.count++
	c.first[key] = use
	isList := key == "layout_filters"
	switch {
	case value == "":
		c.report(number, key, key+" without a value", "a value, or no such line")
		return
	case use.count == 2 && !isList:
		c.report(number, key, fmt.Sprintf("%s again (first in line %d), which drops both (Q156)", key, use.line), "it once")
	case use.count == 3 && isList:
		c.report(number, key, "a third layout_filters, which is dropped (Q152)", "at most two")
	}
	if trimmed := pysem.RStrip(value); trimmed != value {
		c.report(number, key, fmt.Sprintf("%q with the blank before its comment (Q153)", value), fmt.Sprintf("%q on a line without comment", trimmed))
		value = trimmed
	}
	if isList {
		c.filters = append(c.filters, confUse{line: number, value: value})
		return
	}
	c.value(number, key, value, i)
}

// allowedWords are the values of keys that take one of a few.
var allowedWords = map[string][]string{
	"deploy_type":                    {"entry", "ps", "dense", "mixed", "unified", "none"},
	"server_type":                    {"entry", "ps", "dense", "mixed", "unified"},
	"version_policy":                 {"latest", "latest_once", "all", "specific"},
	"rough_sort_model_loaded_server": {"none", "entry", "ps", "dense"},
	"agent_version":                  {"1", "3"}, // agent.py:54 refuses 2
}

func (c *confChecker) value(number int, key, value string, field int) {
	if words, ok := allowedWords[key]; ok {
		if !slices.Contains(words, pysem.Lower(value)) {
			report := c.report
			if key == "deploy_type" || key == "server_type" || key == "agent_version" {
				report = c.fatal
			}
			report(number, key, fmt.Sprintf("%s %q", key, value), oneOf(words))
		}
		return
	}
	var types AgentConfig
	_, err := Loader{Quirks: Fixed}.convert(configFields[field].ptr(&types), value)
	if err == nil {
		return
	}
	want := "a number, or a plain expression of numbers"
	if _, isBool := configFields[field].ptr(&types).(*bool); isBool {
		want = oneOf(append(slices.Clone(trueWords), falseWords...))
	}
	c.report(number, key, fmt.Sprintf("%s %q", key, value), want)
}

func oneOf(words []string) string { return "one of " + strings.Join(words, ", ") }

// whole checks what needs more than one line.
func (c *confChecker) whole() {
	standAlone := slices.Contains(trueWords, pysem.Lower(c.first["stand_alone_serving"].value))
	_, hasDeployType := c.first["deploy_type"]
	_, hasServerType := c.first["server_type"]
	if !c.includes && !standAlone && !hasDeployType && !hasServerType {
		c.fatal(0, "deploy_type", "no deploy_type", oneOf(allowedWords["server_type"]))
	}
	if c.first["agent_version"].value != "3" {
		return
	}
	use := c.first["deploy_type"]
	word := pysem.Lower(use.value)
	if hasDeployType && word != string(DeployUnified) && slices.Contains(allowedWords["deploy_type"], word) {
		c.fatal(use.line, "deploy_type", fmt.Sprintf("deploy_type %q with agent_version 3", use.value), "unified")
	}
	for _, f := range c.filters {
		c.filter(f)
	}
}

// filter checks "<pattern>;<condition>" as agent v3 reads it (agent_v3.py:72-81).
func (c *confChecker) filter(f confUse) {
	const key = "layout_filters"
	text := strings.NewReplacer("${shard_id}", "0", "${shard_num}", "1").Replace(f.value)
	pattern, condition, ok := strings.Cut(text, ";")
	if !ok {
		c.fatal(f.line, key, fmt.Sprintf("the filter %q without \";\" (Q22)", f.value), "<pattern>;<condition>, as ps_{i};i % 2 == 0")
		return
	}
	if _, err := pysem.CompilePattern(NormalizeRegex(pattern)); err != nil {
		c.fatal(f.line, key, fmt.Sprintf("the filter pattern %q (%v)", pattern, err), "a regular expression with {name} for numbers")
		return
	}
	names := map[string]*big.Int{}
	for _, piece := range ParsePattern(pattern, "{", "}") {
		names[piece.Name.V] = big.NewInt(1)
	}
	if _, err := pysem.EvalCondition(condition, names); err != nil {
		c.fatal(f.line, key, fmt.Sprintf("the filter condition %q (%v)", condition, err), "a condition on the pattern's names")
	}
}

// nearestKey proposes the known key with the fewest edits, when few are enough.
func nearestKey(key string) string {
	const maxEdits = 3
	best, edits := "", maxEdits+1
	for _, name := range append(ConfigFieldNames(), "server_type") {
		if n := levenshtein.ComputeDistance(key, name); n < edits && n < len(name) {
			best, edits = name, n
		}
	}
	if best == "" {
		return "a known key"
	}
	return best
}
