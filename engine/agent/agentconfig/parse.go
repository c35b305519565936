package agentconfig

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/engine/quirks"
)

// maxIncludeDepth is the depth of nested includes at which CPython reaches its recursion limit. A
// file that includes itself always reaches this depth (Q157).
const maxIncludeDepth = 980

// ParseConf reads a configuration file and its includes into args, in the order of each key's first
// occurrence. A value is a string, or a list if the key occurs several times (utils.py:127-152). A
// missing file adds nothing. Paths of includes are relative to the working directory. Errors are
// *pysem.Error: for a directory, a file that cannot be read or is not UTF-8, and files that include
// each other (Q157).
func ParseConf(e *env.Env, path string, args *pysem.Dict, keep quirks.Set) error {
	p := confParser{e: e, files: e.Files, args: args, quirks: keep}
	return p.file(path, 0)
}

type confParser struct {
	e      *env.Env
	files  env.Files
	args   *pysem.Dict
	quirks quirks.Set
}

func (p *confParser) file(path string, depth int) error {
	if depth > maxIncludeDepth {
		return pysem.Raise("RecursionError", "maximum recursion depth exceeded")
	}
	if path == "" {
		return nil
	}
	info, err := p.files.Stat(path)
	if err != nil {
		return nil
	}
	if info.Dir {
		return pysem.Raise("IsADirectoryError", "[Errno 21] Is a directory: %s", pysem.Repr(path))
	}
	data, err := p.files.ReadFile(path)
	if err != nil {
		return pysem.Raise("PermissionError", "[Errno 13] Permission denied: %s", pysem.Repr(path))
	}
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return err
	}
	for _, line := range pysem.Lines(dict.Text(text)) { // all settings are substrings of this one text
		entry := parseConfLine(line, p.quirks)
		switch entry.kind {
		case confInclude:
			if err := p.file(entry.value, depth+1); err != nil {
				return err
			}
		case confSetting:
			p.set(entry.key, entry.value)
		case confBroken:
			logf(p.e, env.Error, "not enough values to unpack (expected 2, got 1)")
		}
	}
	return nil
}

// ConfValues returns the word of each key that occurs once in the text of a configuration. It
// ignores includes; see [ExpandIncludes].
func ConfValues(text string) map[string]string {
	args := &pysem.Dict{}
	p := confParser{args: args}
	for _, line := range pysem.Lines(text) {
		if entry := parseConfLine(line, quirks.Python); entry.kind == confSetting {
			p.set(entry.key, entry.value)
		}
	}
	values := map[string]string{}
	for _, item := range args.Items {
		if text, ok := item.Value.(string); ok {
			values[item.Key] = text
		}
	}
	return values
}

// ExpandIncludes replaces each include line in the text of a configuration by the text of the
// included file. read returns the text of the file at a path. If read fails, the file is left out,
// as in the reference, and its path is added to missing.
func ExpandIncludes(text string, read func(path string) (string, error)) (expanded string, missing []string) {
	return expandIncludes(text, read, 0)
}

// maxExpandDepth limits the depth of includes, to stop files that include each other.
const maxExpandDepth = 20

func expandIncludes(text string, read func(path string) (string, error), depth int) (expanded string, missing []string) {
	var out strings.Builder
	for _, line := range pysem.Lines(text) {
		entry := parseConfLine(line, quirks.Python)
		if entry.kind != confInclude {
			out.WriteString(line + "\n")
			continue
		}
		included, err := read(entry.value)
		if err != nil || depth == maxExpandDepth {
			missing = append(missing, entry.value)
			continue
		}
		inner, innerMissing := expandIncludes(included, read, depth+1)
		out.WriteString(inner)
		missing = append(missing, innerMissing...)
	}
	return out.String(), missing
}

type confKind uint8

const (
	confNothing confKind = iota // blank or comment
	confSetting
	confInclude
	confBroken // a key without separator
)

// confLine is one line of a configuration file.
type confLine struct {
	kind       confKind
	key, value string // for an include, value is the path
}

func parseConfLine(line string, keep quirks.Set) confLine {
	line = pysem.Strip(line)
	if line == "" || line[0] == '#' {
		return confLine{}
	}
	if i := strings.IndexByte(line, '#'); i > 0 {
		// utils.py:139: blanks before a trailing comment stay part of the value (Q153).
		line = line[:i]
		if !keep.Keeps(quirks.Q153) {
			line = pysem.RStrip(line)
		}
	}
	if isInclude(line, keep) {
		words := pysem.Fields(line)
		return confLine{kind: confInclude, value: words[len(words)-1]}
	}
	// utils.py:50: a run of blanks, tabs and equal signs separates the key from its value.
	i := strings.IndexAny(line, "= \t")
	if i < 0 {
		return confLine{kind: confBroken}
	}
	return confLine{kind: confSetting, key: line[:i], value: strings.TrimLeft(line[i:], "= \t")}
}

// isInclude reports whether a line is an include. In the reference every line that begins with
// "include" counts as one (Q157).
func isInclude(line string, keep quirks.Set) bool {
	if keep.Keeps(quirks.Q157) {
		return strings.HasPrefix(line, "include")
	}
	words := pysem.Fields(line)
	return len(words) == 2 && words[0] == "include"
}

func (p *confParser) set(key, value string) {
	old, known := p.args.Get(key)
	if !known {
		if value != "" {
			p.args.Set(key, value)
		}
		return
	}
	list, isList := old.([]any)
	switch {
	case !isList:
		p.args.Set(key, []any{old, value})
	case !p.quirks.Keeps(quirks.Q152):
		p.args.Set(key, append(list, value))
	}
}
