package modelmanager

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// source adds the files of a complete version of a model in the source path.
func source(files map[string]string, model, version string) map[string]string {
	dir := "p2p/" + model + "@" + version
	files[dir+"/"+model+"/ps_0/"+version+"/f"] = version
	files[dir+".write.done"] = ""
	return files
}

func TestManagerTellsTheAgeOfItsModel(t *testing.T) {
	type metric struct {
		Name  string
		Value int
	}
	var got []metric
	e := envtest.New(source(map[string]string{}, "m", "1699999990"), nil)
	tasks := &envtest.Tasks{}
	e.Tasks, e.Clock, e.Log = tasks, envtest.Clock{}, envtest.Quiet{}
	m := NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(envtest.Dir + "/p2p"), ReceivePath: pysem.Some(envtest.Dir + "/recv"),
		Metrics: func(m Metric) { got = append(got, metric{m.Name, m.Value}) },
	})
	tasks.OnSleep = func(int) { m.End() }
	if err := m.Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]metric{{"version.delay", 10}, {"update.delay", 0}}, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

func TestManagerThreadEndsWithAVersionThatIsNoNumber(t *testing.T) {
	e := envtest.New(source(map[string]string{}, "m", "v1"), nil)
	e.Tasks, e.Clock, e.Log = &envtest.Tasks{}, envtest.Clock{}, envtest.Quiet{}
	m := NewModelManager(e, ModelManagerOptions{
		ModelName: pysem.Some("m"), SourcePath: pysem.Some(envtest.Dir + "/p2p"), ReceivePath: pysem.Some(envtest.Dir + "/recv"),
		Metrics: func(Metric) {},
	})
	if err := m.Run(); pysem.TypeOf(err) != "ValueError" {
		t.Errorf("got %v, want ValueError", err)
	}
}
