package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
)

// newRepairedManager is a manager of model m without the reference's quirks.
func newRepairedManager(files map[string]string) (*ModelManager, *caseFiles) {
	e := newCaseEnv(files, nil)
	e.Tasks, e.Clock, e.Log = &caseTasks{}, caseClock{}, caseLog{}
	return NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(caseDir + "/p2p"), ReceivePath: pysem.Some(caseDir + "/recv"),
		Quirks: Fixed,
	}), e.Files.(*caseFiles)
}

// source is a complete version of a model in the source path.
func source(files map[string]string, model, version string) map[string]string {
	dir := "p2p/" + model + "@" + version
	files[dir+"/"+model+"/ps_0/"+version+"/f"] = version
	files[dir+".write.done"] = ""
	return files
}

func copied(t *testing.T, m *ModelManager) map[string][]string {
	t.Helper()
	if _, err := m.LoopOnce(); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, v := range m.Models() {
		for _, c := range v.Versions {
			got[v.Model] = append(got[v.Model], c.Version)
		}
	}
	return got
}

func TestRepairedManagerComparesVersionsAsNumbers(t *testing.T) {
	m, _ := newRepairedManager(source(source(map[string]string{}, "m", "9"), "m", "10"))
	if diff := cmp.Diff(map[string][]string{"m": {"10"}}, copied(t, m)); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestRepairedManagerLeavesOtherModelsAlone(t *testing.T) {
	m, _ := newRepairedManager(source(source(map[string]string{}, "m", "1"), "mx", "1"))
	if diff := cmp.Diff(map[string][]string{"m": {"1"}}, copied(t, m)); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{caseDir + "/p2p/m@1.read.lock"}, m.LockFiles()); diff != "" {
		t.Errorf("locks (-want +got):\n%s", diff)
	}
}

func TestRepairedManagerCopiesAnewWhereACopyWasLeft(t *testing.T) {
	m, files := newRepairedManager(source(map[string]string{"recv/m/ps_0/1-temp/half": "h"}, "m", "1"))
	copied(t, m)
	if _, err := files.Stat(caseDir + "/recv/m/ps_0/1/half"); err == nil {
		t.Error("got the leftover file in the model, want it gone")
	}
	if data, err := files.ReadFile(caseDir + "/recv/m/ps_0/1/f"); string(data) != "1" || err != nil {
		t.Errorf("got %q, error %v, want the file of the version", data, err)
	}
}

func TestRepairedManagerStartsOverAnOrphanLock(t *testing.T) {
	m, files := newRepairedManager(source(map[string]string{"p2p/m@0.read.lock": ""}, "m", "1"))
	if !m.Start() {
		t.Error("got a failed start, want a good one")
	}
	if _, err := files.Stat(caseDir + "/p2p/m@0.read.lock"); err == nil {
		t.Error("got the orphan lock, want it removed")
	}
}

func TestRepairedManagerRemovesAllOldVersionsAtOnce(t *testing.T) {
	files := map[string]string{}
	m, tree := newRepairedManager(files)
	for _, version := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		//lint:ordered each file is put under its own name
		for name, text := range source(map[string]string{}, "m", version) {
			tree.put(name, []byte(text))
		}
		copied(t, m)
	}
	m.RemoveOldFile()
	names, err := tree.ReadDir(caseDir + "/recv/m/ps_0")
	if diff := cmp.Diff([]string{"4", "5", "6", "7", "8"}, names); diff != "" || err != nil {
		t.Errorf("error %v, versions on disk (-want +got):\n%s", err, diff)
	}
}

func TestManagerTellsTheAgeOfItsModel(t *testing.T) {
	type metric struct {
		Name  string
		Value int
	}
	var got []metric
	e := newCaseEnv(source(map[string]string{}, "m", "1699999990"), nil)
	tasks := &caseTasks{}
	e.Tasks, e.Clock, e.Log = tasks, caseClock{}, caseLog{}
	m := NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(caseDir + "/p2p"), ReceivePath: pysem.Some(caseDir + "/recv"),
		Metrics: func(name string, value int) { got = append(got, metric{name, value}) },
	})
	tasks.onSleep = func(int) { m.End() }
	if err := m.Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]metric{{"version.delay", 10}, {"update.delay", 0}}, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

func TestManagerThreadEndsWithAVersionThatIsNoNumber(t *testing.T) {
	e := newCaseEnv(source(map[string]string{}, "m", "v1"), nil)
	e.Tasks, e.Clock, e.Log = &caseTasks{}, caseClock{}, caseLog{}
	m := NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(caseDir + "/p2p"), ReceivePath: pysem.Some(caseDir + "/recv"),
		Metrics: func(string, int) {},
	})
	if err := m.Run(); pysem.TypeOf(err) != "ValueError" {
		t.Errorf("got %v, want ValueError", err)
	}
}

func TestRepairedControllerTakesTheLatestVersionAndNoHiddenFiles(t *testing.T) {
	r := &caseRunner{t: t, files: &caseFiles{content: map[string][]byte{caseDir: nil}}, host: &caseHost{vars: map[string]string{}}}
	r.env = newCaseEnv(map[string]string{
		"exp/entry/9/saved_model.pb": "", "exp/entry/10/saved_model.pb": remoteCall("ctr:ps_0"), "exp/.tmp": "",
	}, nil)
	bd, _ := r.backend()
	c := Controller{Env: r.env, Backend: bd, Quirks: Fixed}
	name, err := c.DeclareSavedModel(Declaration{ExportBase: caseDir + "/exp", Arch: "entry_ps"})
	if name != "ctr" || err != nil {
		t.Errorf("got %q, error %v, want ctr", name, err)
	}
	models, err := bd.ListSavedModels("ctr")
	if diff := cmp.Diff([]SavedModel{{ModelName: "ctr", SubGraph: "entry"}}, models); diff != "" || err != nil {
		t.Errorf("error %v, models (-want +got):\n%s", err, diff)
	}
}

// remoteCall is a saved model whose graph has one call of a remote model.
func remoteCall(model string) string {
	field := func(tag byte, text string) string { return string([]byte{tag, byte(len(text))}) + text }
	attr := field(0x0a, "model_name") + field(0x12, field(0x12, model))
	node := field(0x12, "TfServingRemotePredict") + field(0x2a, attr)
	return field(0x12, field(0x12, field(0x0a, node)))
}

func TestControlPrintsWhatTheBzidHolds(t *testing.T) {
	e := newCaseEnv(nil, nil)
	e.Tasks, e.Log, e.ZooKeeper = &caseTasks{}, caseLog{}, oneZooKeeper{newCaseZooKeeper()}
	got, err := Control(e, DefaultControlOptions())
	const want = "\n{\n  \"model_info\": {},\n  \"container_info\": {},\n  \"layout_info\": {}\n}\n"
	if got != want || err != nil {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
}

func TestControlRefusesBadFlags(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(*ControlOptions)
	}{
		{"unknown command", "ValueError: unsupported cmd x, options are decl|pub|unpub|bzid_info", func(o *ControlOptions) { o.Cmd = "x" }},
		{"decl without export", "AssertionError", func(o *ControlOptions) { o.Cmd = "decl" }},
		{"pub without layout", "AssertionError", func(o *ControlOptions) { o.Cmd, o.ModelName = "pub", "m:*" }},
		{"unpub without model", "AssertionError", func(o *ControlOptions) { o.Cmd, o.Layout = "unpub", "l" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newCaseEnv(nil, nil)
			e.Tasks, e.Log, e.ZooKeeper = &caseTasks{}, caseLog{}, oneZooKeeper{newCaseZooKeeper()}
			o := DefaultControlOptions()
			test.change(&o)
			if _, err := Control(e, o); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestRepairedInstanceIsWrittenToANamedFile(t *testing.T) {
	e := newCaseEnv(map[string]string{"i": "fid: 1\n"}, nil)
	f, err := InstanceFromText(e, "i")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ToText(e, pysem.Some("out"), Fixed); err != nil {
		t.Fatal(err)
	}
	if data, err := e.Files.ReadFile("out"); string(data) != "fid: 1\n" || err != nil {
		t.Errorf("got %q, error %v, want the text", data, err)
	}
}

func TestGetWithAnExampleBatchNeverWorks(t *testing.T) {
	c := TFSClient{Env: newCaseEnv(map[string]string{"eb": "\x02\x00\x00\x00\x00\x00\x00\x00\x18\x01"}, nil)}
	for _, test := range []struct{ file, want string }{
		{"eb", "NameError: name 'user_features' is not defined"},
		{"missing", "AssertionError"},
	} {
		if _, err := c.ExampleBatchProtoV2(test.file); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.file, err, test.want)
		}
	}
}
