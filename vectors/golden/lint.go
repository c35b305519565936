package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"github.com/monosim/monosim/vectors/scope"
)

// slug matches the id of a case, which never changes. It consists of the operation, a slash, and
// lower-case words.
var slug = regexp.MustCompile(`^[A-Za-z0-9_.]+/[a-z0-9]+(?:[-_.][a-z0-9]+)*$`)

// Lint checks the golden vectors in a directory. It returns one line for each mistake.
func Lint(fsys fs.FS) ([]string, error) {
	suites, err := Suites(fsys)
	if err != nil {
		return nil, err
	}
	files, err := CaseFiles(fsys)
	if err != nil {
		return nil, err
	}
	l := &linter{seen: map[string]string{}}
	for _, s := range suites {
		l.suite(s)
	}
	l.inputs(suites, files)
	if err := l.manifest(fsys, suites); err != nil {
		return nil, err
	}
	return l.findings, nil
}

type linter struct {
	findings []string
	seen     map[string]string // suite by id
}

func (l *linter) addf(format string, args ...any) {
	l.findings = append(l.findings, fmt.Sprintf(format, args...))
}

func (l *linter) suite(s *Suite) {
	if s.Source.Repo == "" || s.Source.Commit == "" || s.Source.Path == "" || s.Source.Symbol == "" {
		l.addf("%s.json: found a source without repo, commit, path or symbol", s.Name)
	}
	used := map[string]bool{}
	for i := range s.Cases {
		c := &s.Cases[i]
		l.vector(s, c)
		for _, flag := range c.Flags {
			used[flag] = true
		}
	}
	for flag := range s.Notes {
		if !used[flag] {
			l.addf("%s.json: found a note about the flag %s, which no case has", s.Name, flag)
		}
	}
	slices.Sort(l.findings)
}

func (l *linter) vector(s *Suite, c *Case) {
	l.id(s.Name, c.ID, c.Op)
	if (c.Out == nil) == (c.Error == nil) {
		l.addf("%s: found out and error together, or neither, want one", c.ID)
	}
	for _, part := range []struct {
		name string
		has  bool
	}{{"logs", c.Logs != nil}, {"metrics", c.Metrics != nil}, {"waits", c.Waits != nil}} {
		if slices.Contains(c.Shows, part.name) != part.has {
			l.addf("%s: found %s without a shows that names them, or the reverse", c.ID, part.name)
		}
	}
	if c.Error != nil {
		var failure struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		}
		if err := decodeStrict(c.Error, &failure); err != nil || failure.Type == "" {
			l.addf(`%s: found the error %s, want {"type","message"}`, c.ID, c.Error)
		}
	}
	if c.Verdict != scope.Match && c.Verdict != scope.Diverge {
		l.addf("%s: found the verdict %q, want match or diverge", c.ID, c.Verdict)
	}
	if c.Verdict == scope.Diverge && !slices.ContainsFunc(c.Flags, func(flag string) bool { return regexp.MustCompile(`^Q\d+$`).MatchString(flag) }) {
		l.addf("%s: found verdict diverge without a flag that names the quirk", c.ID)
	}
	for _, flag := range c.Flags {
		if s.Notes[flag] == "" {
			l.addf("%s: found the flag %s, about which %s.json has no note", c.ID, flag, s.Name)
		}
	}
}

func (l *linter) id(suite, id, op string) {
	switch {
	case !slug.MatchString(id):
		l.addf("%s: found an id that is no slug, want <operation>/<words-with-dashes>", id)
	case id[:min(len(op)+1, len(id))] != op+"/":
		l.addf("%s: found the operation %s, want that of the id", id, op)
	case SuiteOf(op) != suite:
		l.addf("%s: found it in the suite %s, want %s", id, suite, SuiteOf(op))
	}
	if other, ok := l.seen[id]; ok {
		l.addf("%s: found it a second time, first in %s", id, other)
	}
	l.seen[id] = suite
}

// inputs compares the recorded cases with the case files from which they were recorded.
func (l *linter) inputs(suites []*Suite, files []CaseFile) {
	recorded := map[string]*Case{}
	for _, s := range suites {
		for i := range s.Cases {
			recorded[s.Cases[i].ID] = &s.Cases[i]
		}
	}
	for _, f := range files {
		for _, in := range f.Inputs {
			c := recorded[in.ID]
			if c == nil {
				l.addf("%s: found it in cases/%s.jsonl only; record it", in.ID, f.Suite)
				continue
			}
			delete(recorded, in.ID)
			if !slices.Equal(in.Shows, c.Shows) {
				l.addf("%s: found another shows in cases/%s.jsonl; record it again", in.ID, f.Suite)
			}
			for _, part := range []struct {
				name        string
				input, kept json.RawMessage
			}{{"env", in.Env, c.Env}, {"host", in.Host, c.Host}, {"files", in.Files, c.Files}, {"in", in.In, c.In}} {
				if !sameJSON(part.input, part.kept) {
					l.addf("%s: found another %s in cases/%s.jsonl; record it again", in.ID, part.name, f.Suite)
				}
			}
		}
	}
	var left []string
	for id := range recorded {
		left = append(left, id)
	}
	slices.Sort(left)
	for _, id := range left {
		l.addf("%s: found no line for it in the case files", id)
	}
}

// sameJSON reports whether two texts are equal apart from white space.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// manifest compares the hashes in the manifest with the files, and the files with what a recording
// would write.
func (l *linter) manifest(fsys fs.FS, suites []*Suite) error {
	want, err := Files(suites)
	if err != nil {
		return err
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		got, err := fs.ReadFile(fsys, name)
		if err != nil {
			l.addf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(got, want[name]) {
			l.addf("%s: found another text than a recording writes; it is never edited by hand", name)
		}
	}
	return nil
}
