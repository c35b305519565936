package plan_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Goal: a plan reads the files of its folder, and those of folders that the user names, and
// nothing else, by a name or through a link. Method: names in each field that takes one, with a
// secret beside the folder that no message may have.

const secret = "the-secret-beside"

// folderOfPlans makes a folder with a link that leads out to a secret.
func folderOfPlans(t testing.TB) (folder, outside string) {
	t.Helper()
	parent := t.TempDir()
	folder, outside = filepath.Join(parent, "plans"), filepath.Join(parent, "outside")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.MkdirAll(filepath.Join(outside, "ps_0", "1"), 0o755), os.WriteFile(filepath.Join(outside, "file"), []byte(secret+"\n"), 0o644),
		os.WriteFile(filepath.Join(outside, "ps_0", "1", "saved_model.pb"), []byte(secret), 0o644), os.Symlink(outside, filepath.Join(folder, "link"))); err != nil {
		t.Fatal(err)
	}
	return folder, outside
}

// naming are plans that name a file or a folder.
var naming = map[string]string{
	"model.agent_conf":         "model: {agent_conf: %s, size: {embeddings: 1GiB, dense: 1GiB}}\n",
	"model.exported":           "model: {exported: %s}\n",
	"service.profile":          "service: {profile: %s}\n",
	"workload.arrivals.file":   "workload: {arrivals: {process: trace, file: %s}}\n",
	"service.entry.cpu's hist": "service: {entry: {cpu: \"hist(%s)\"}}\n",
}

func readNaming(t testing.TB, folder, form, name string, more ...string) error {
	t.Helper()
	file := filepath.Join(folder, "plan.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "apiVersion: capacity/v1\n"+form, name), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := plan.Read(file, more...)
	if err == nil {
		t.Fatalf("%s: got no problem of a plan that lacks all else", form)
	}
	return err
}

func TestPlansReadNoFilesOfOtherFolders(t *testing.T) {
	folder, outside := folderOfPlans(t)
	for field, form := range naming {
		for _, name := range []string{"../outside/file", outside + "/file", "link/file", "../outside", "link", "."} {
			err := readNaming(t, folder, form, name)
			if strings.Contains(err.Error(), secret) || name != "." && !strings.Contains(err.Error(), "outside of the plan's folder") && !strings.Contains(err.Error(), "escapes") {
				t.Errorf("%s %s: got %v, want it refused unread", field, name, err)
			}
		}
		if err := readNaming(t, folder, form, outside+"/file", outside); strings.Contains(err.Error(), "outside of the plan's folder") {
			t.Errorf("%s with --files: got %v, want it read", field, err)
		}
	}
}

func FuzzNamesOfPlans(f *testing.F) {
	for _, name := range []string{"a.conf", "../a.conf", "..", "/etc", "link/file", "a/../../outside/file", `..\outside\file`} {
		f.Add(name)
	}
	folder, _ := folderOfPlans(f)
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(name, "\"\n\r\t{}[],:#&*!|>'%@`() ") {
			t.Skip("YAML takes it for something else")
		}
		for field, form := range naming {
			if err := readNaming(t, folder, form, name); strings.Contains(err.Error(), secret) {
				t.Errorf("%s %q: got %v, which tells what is outside", field, name, err)
			}
		}
	})
}
