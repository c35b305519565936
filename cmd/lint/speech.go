package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

const (
	speechRule = "speech"
	speechDoc  = "tracked text names no folder of one machine and no package registry"
)

// phrase is a text that no tracked file may contain. The patterns below are joined from parts, so
// that this file does not match its own rule.
type phrase struct {
	what    string
	pattern *regexp.Regexp // what is forbidden; a finding quotes the first group
	instead string
}

// start is the beginning of a pattern. It prevents a folder's name from matching inside a longer
// path or an address.
const start = `(?:^|[^A-Za-z0-9_.~/-])`

var phrases = []phrase{
	{
		what:    "a path of one machine",
		pattern: regexp.MustCompile(start + `(/(?:work|root|home|tmp/ref)/)`),
		instead: "name it from the root of the repository, or let the user name it",
	},
	{
		what: "a registry host",
		pattern: regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
			`(?:proxy|sum|index)\.` + `golang\.org`, `goproxy\.` + `(?:io|cn)`,
			`(?:files\.)?python` + `hosted\.org`, `pypi\.` + `(?:org|python\.org)`,
			`registry\.` + `(?:npmjs|yarnpkg)\.(?:org|com)`, `(?:static\.|index\.)?crates\.` + `io`,
			`repo1?\.maven\.` + `(?:org|apache\.org)`, `(?:registry\.|hub\.|index\.)?docker\.` + `(?:io|com)`,
			`(?:[a-z0-9]+\.)?gcr\.` + `io`, `ghcr\.` + `io`, `quay\.` + `io`, `rubygems\.` + `org`,
		}, "|") + `)\b`),
		instead: "leave the choice of a registry to the user's own settings",
	},
}

// lintSpeech checks every file that git tracks or would add for phrases that are not allowed.
func lintSpeech() ([]finding, error) {
	files, err := trackedTexts(func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range slices.Sorted(maps.Keys(files)) {
		found = append(found, checkSpeech(name, []byte(files[name]))...)
	}
	return found, nil
}

// trackedTexts reads the files that git tracks or would add, if wanted accepts the file's name. The
// result maps names, relative to the working directory, to texts. It leaves out links, and files
// that are deleted but still in git's index.
func trackedTexts(wanted func(name string) bool) (map[string]string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files, to find the tracked text: %w\n%s", err, stderr.Bytes())
	}
	texts := map[string]string{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || !wanted(name) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[name] = string(text)
	}
	return texts, nil
}

// checkSpeech searches one file for phrases that are not allowed. It skips binary files.
func checkSpeech(name string, text []byte) []finding {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	var found []finding
	line := 0
	for l := range bytes.Lines(text) {
		line++
		for _, p := range phrases {
			if m := p.pattern.FindSubmatch(l); m != nil {
				found = append(found, finding{File: name, Line: line, Rule: speechRule,
					Text: fmt.Sprintf("%s (%s): %s", p.what, m[1], p.instead)})
			}
		}
	}
	return found
}
