package scope

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// signs maps each subject to the Python code that shows its presence. A module whose text matches
// does not lack the subject.
var signs = map[string]*regexp.Regexp{
	Settings:  regexp.MustCompile(`AgentConfig|environ|getenv|FLAGS|\bflags\.`),
	Threads:   regexp.MustCompile(`\bthreading\.|Thread\(|ThreadPoolExecutor\(|\bR?Lock\(|\bQueue\(|ChildrenWatch|DataWatch|Election\(|add_listener|callback|signal\.signal|\bProcess\(|\bPool\(`),
	Logs:      regexp.MustCompile(`\blogging\.\w+\(|get_cli|emit_`),
	Errors:    regexp.MustCompile(`\braise\b|\bexcept\b|\bassert\b`),
	Functions: regexp.MustCompile(`(?m)^\s*(?:def|class) `),
	Formats:   regexp.MustCompile(`\bjson\b|serialize|SerializeToString|ParseFromString|text_format|unpack\(|\bopen\(|MessageTo|Request\(|Response\(|\bbytes\b|ModelServerConfig`),
}

// unread matches the parts of a module in which signs do not count: comments, docstrings and
// imports.
var unread = regexp.MustCompile(`(?m)#.*$|^[ \t]*'''(?s:.*?)'''|^[ \t]*"""(?s:.*?)"""|^[ \t]*(?:from [\w.]+ )?import (?:[^\n\\]|\\\n)*$`)

func TestAbsencesAreThoseOfTheReference(t *testing.T) {
	root := os.Getenv("MONOLITH_SRC")
	if root == "" {
		t.Skip("MONOLITH_SRC names no checkout of bytedance/monolith")
	}
	modules, err := allModules()
	if err != nil {
		t.Fatal(err)
	}
	list, err := Absences()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if strings.HasSuffix(m.File, "_test.py") || m.File == "__init__.py" {
			continue
		}
		folder := "monolith/agent_service"
		if strings.HasPrefix(m.File, "monolith/") {
			folder = ""
		}
		text, err := os.ReadFile(filepath.Join(root, folder, m.File))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(a Absence) bool { return a.File == m.File })
		var a Absence
		if i >= 0 {
			a = list[i]
		}
		wantSigns(t, m.File, unread.ReplaceAllString(string(text), ""), a)
	}
}

func wantSigns(t *testing.T, file, text string, a Absence) {
	t.Helper()
	for _, subject := range []string{Settings, Threads, Logs, Formats, Errors, Functions} {
		found := signs[subject].FindString(text)
		absent, excused := slices.Contains(a.Without, subject), a.Why[subject] != ""
		switch {
		case found != "" && absent && !excused:
			t.Errorf("%s is said to be without %s, found %q", file, subject, found)
		case found == "" && excused:
			t.Errorf("%s: found nothing of %s, want no reason for it", file, subject)
		// with such a module, cases of constants and of errors of called functions may still be
		// recorded
		case found == "" && !absent && subject != Functions && subject != Errors:
			t.Errorf("%s: found nothing of %s, want it among what the module is without", file, subject)
		}
	}
}

// Goal: signs of a subject are found in code, but not in comments and imports. Method: a module
// uses threads and formats, and names settings and logs only in imports and comments.
func TestSignsAreFoundInWhatIsDone(t *testing.T) {
	text := unread.ReplaceAllString("import threading\nfrom absl import flags, logging\n# FLAGS\n'''\nlogging.info('')\n'''\nx = threading.Lock()\nopen('f')\n", "")
	for subject, want := range map[string]string{Settings: "", Threads: "threading.", Logs: "", Formats: "open("} {
		if got := signs[subject].FindString(text); got != want {
			t.Errorf("%s: got %q, want %q", subject, got, want)
		}
	}
}
