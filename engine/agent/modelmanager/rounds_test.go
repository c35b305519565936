package modelmanager

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// errorLines is a log that records the lines of level ERROR.
type errorLines struct{ lines []string }

func (*errorLines) Enabled(env.Level) bool { return true }

func (l *errorLines) Logf(level env.Level, format string, args ...any) {
	if level == env.Error {
		l.lines = append(l.lines, fmt.Sprintf(format, args...))
	}
}

// unwritable is a file system in which paths that contain the text cannot be written.
type unwritable struct {
	env.Files
	text string
}

func (f *unwritable) WriteFile(name string, data []byte) error {
	if f.text != "" && strings.Contains(name, f.text) {
		return pysem.Raise("OSError", "no space left")
	}
	return f.Files.WriteFile(name, data)
}

// managing makes a manager for the model m. By Q103 it also takes models whose names begin with m.
func managing(files map[string]string, set quirks.Set) (*ModelManager, *unwritable, *errorLines) {
	e := envtest.New(files, nil)
	disk, log := &unwritable{Files: e.Files}, &errorLines{}
	e.Files, e.Tasks, e.Clock, e.Log = disk, &envtest.Tasks{}, envtest.Clock{}, log
	return NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(envtest.Dir + "/p2p"), ReceivePath: pysem.Some(envtest.Dir + "/recv"), Quirks: set,
	}), disk, log
}

// copied lists the copied versions of each model.
func copied(m *ModelManager) string {
	var list []string
	for _, model := range m.Models() {
		for _, v := range model.Versions {
			list = append(list, model.Model+"@"+v.Version)
		}
	}
	return strings.Join(list, " ")
}

func round(t *testing.T, m *ModelManager, want bool) {
	t.Helper()
	if ok, err := m.LoopOnce(); ok != want || err != nil {
		t.Errorf("round: got %t, %v, want %t", ok, err, want)
	}
}

// Goal: a model without a new version does not prevent the copying of the models after it
// (model_manager.py:187-190).
func TestAModelThatIsUpToDateIsPassedOver(t *testing.T) {
	m, disk, _ := managing(source(map[string]string{}, "m1", "5"), quirks.Python)
	round(t, m, true)
	for name, data := range source(map[string]string{}, "m2", "7") { //lint:ordered files of one round
		if err := disk.MkdirAll(path.Dir(envtest.Dir + "/" + name)); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(envtest.Dir+"/"+name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	round(t, m, true)
	if got := copied(m); got != "m1@5 m2@7" {
		t.Errorf("copied %q, want m1@5 m2@7", got)
	}
}

// Goal: a copy that fails is logged, leaves no files, and does not prevent the copying of the
// models after it (model_manager.py:203 and 237-249).
func TestACopyThatFailsIsToldAndLeavesNothing(t *testing.T) {
	m, disk, log := managing(source(source(map[string]string{}, "m1", "5"), "m2", "7"), quirks.Python)
	disk.text = "/recv/m1/"
	round(t, m, false)
	if got := copied(m); got != "m2@7" {
		t.Errorf("copied %q, want m2@7", got)
	}
	temp := envtest.Dir + "/recv/m1/ps_0/5-temp"
	if env.Exists(disk, temp) {
		t.Errorf("%s is there, want it removed", temp)
	}
	if len(log.lines) != 3 {
		t.Fatalf("lines: got %q, want 3", log.lines)
	}
	begin := fmt.Sprintf("copy model %s -> %s faild: ", envtest.Dir+"/p2p/m1@5/m1/ps_0/5", temp)
	if !strings.HasPrefix(log.lines[0], begin) || !strings.Contains(log.lines[0], "no space left") {
		t.Errorf("line: got %q, want %q and why", log.lines[0], begin)
	}
	if diff := cmp.Diff([]string{"copy model faild, ready_num=0, expect_num=1", "copy m1 failed"}, log.lines[1:]); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// Goal: if some sub-models of a version are already there, the others are copied
// (model_manager.py:223-226, continue).
func TestASubModelThatIsThereDoesNotKeepOthersFromBeingCopied(t *testing.T) {
	files := source(map[string]string{}, "m", "5")
	files["p2p/m@5/m/ps_1/5/f"] = "5"
	files["recv/m/ps_0/5/f"] = "5"
	m, disk, _ := managing(files, quirks.Python)
	round(t, m, true)
	if path := envtest.Dir + "/recv/m/ps_1/5/f"; !env.Exists(disk, path) {
		t.Errorf("%s is not there", path)
	}
}

// Goal: a directory with a second @ in its name is skipped, and the directories after it are not
// (model_manager.py:309).
func TestADirectoryThatIsNoVersionIsPassedOver(t *testing.T) {
	files := source(map[string]string{}, "m", "5")
	files["p2p/m@1@2/f"], files["p2p/m@1@2.write.done"] = "", ""
	m, _, _ := managing(files, quirks.Python)
	round(t, m, true)
	if got := copied(m); got != "m@5" {
		t.Errorf("copied %q, want m@5", got)
	}
}

// Goal: the manager waits 10 s at a time as long as the time waited is below the limit. With a
// limit of 11 s it waits twice (model_manager.py:256-286).
func TestTheWaitForAModelIsCountedFromZero(t *testing.T) {
	m, _, _ := managing(map[string]string{}, quirks.Python)
	var slept []int
	m.e.Tasks.(*envtest.Tasks).OnSleep = func(n int) { slept = append(slept, n) }
	m.SetWaitTimeout(int(modelManagerPoll/time.Second) + 1)
	if ok, err := m.WaitForDownload(); ok || err != nil || len(slept) != 2 {
		t.Errorf("got %t, %v after %d pauses, want false after 2", ok, err, len(slept))
	}
}

// Goal: with Q102 and Q103 repaired, versions that are numbers are compared as numbers and others
// as text. Only files with exactly the model's name belong to the model.
func TestQ102Q103_RepairedVersionsAndNames(t *testing.T) {
	m, _, _ := managing(map[string]string{}, quirks.Fixed)
	for _, test := range []struct {
		version, than string
		want          bool
	}{
		{"10", "9", true}, {"9", "10", false}, {"9", "9", false},
		{"9a", "10", true}, {"10", "9a", false}, {"b", "a", true},
	} {
		if got := m.newer(test.version, test.than); got != test.want {
			t.Errorf("%s newer than %s: got %t, want %t", test.version, test.than, got, test.want)
		}
	}
	for _, test := range []struct {
		file string
		want bool
	}{{"m@1.write.done", true}, {"m2@1.write.done", false}, {"m@1", false}} {
		if got, err := m.isDoneFile(test.file); got != test.want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", test.file, got, err, test.want)
		}
	}
}
