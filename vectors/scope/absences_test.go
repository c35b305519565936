package scope

import (
	"testing"
)

func TestAbsencesAreOfKnownModules(t *testing.T) {
	list, err := Absences()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if len(a.Without) == 0 {
			t.Errorf("%s: found nothing that it is without", a.File)
		}
	}
}

func TestFaultsOfTheAbsencesAreTold(t *testing.T) {
	modules := []Module{{ID: "B01", File: "a.py"}}
	for _, c := range []struct{ name, yaml, want string }{
		{"unknown file", "- {file: b.py, without: [logs]}", `absences.yaml: found file "b.py", want one of modules.yaml or boxed.yaml, once`},
		{"twice", "- {file: a.py, without: [logs]}\n- {file: a.py, without: [threads]}", `absences.yaml: found file "a.py", want one of modules.yaml or boxed.yaml, once`},
		{"reason", "- {file: a.py, without: [logs], why: {threads: none}}", `absences.yaml: a.py: found a reason for "threads", want one for what it is without`},
		{"word", "- {file: a.py, without: [colour]}", `absences.yaml: a.py: found "colour", want settings, threads, logs, formats, errors or functions`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseAbsences([]byte(c.yaml), modules)
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}
