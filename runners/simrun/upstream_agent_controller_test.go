package simrun_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/pysem"
)

// agent_controller_test.py exports a real model, whose entry graph is not public.
// Here the export has the sub-graphs of that one, and the graph of its entry is the
// one node that is looked for: a remote call of test_ffm_model.

const (
	ffmExport  = caseDir + "/saved_model"
	ffmVersion = "/1622716114"
	ffmLayout  = "/gip/layouts/test_layout1"
)

var ffmGraphs = []string{"entry", "ps_0", "ps_1", "ps_2", "ps_3", "ps_4"}

func (c *parityCase) exportFFM() {
	c.t.Helper()
	for _, graph := range ffmGraphs {
		c.must(c.env.Files.MkdirAll(ffmExport + "/" + graph + ffmVersion))
	}
	call := &framework.NodeDef{Name: "call", Op: "TfServingRemotePredict", Attr: map[string]*framework.AttrValue{
		"model_name": {Value: &framework.AttrValue_S{S: []byte("test_ffm_model:ps_0")}},
	}}
	graph, err := proto.Marshal(&tfcore.SavedModel{MetaGraphs: []*tfcore.MetaGraphDef{
		{GraphDef: &framework.GraphDef{Node: []*framework.NodeDef{call}}},
	}})
	c.must(err)
	c.must(c.env.Files.WriteFile(ffmExport+"/entry"+ffmVersion+"/saved_model.pb", graph))
}

// declareFFM declares the export over a backend that was just started.
func (c *parityCase) declareFFM() (agent.Controller, *agent.ZKBackend) {
	c.t.Helper()
	c.exportFFM()
	b := agent.NewZKBackend(c.env, "gip", newRecordingZK(c.env))
	c.must(b.Start())
	ctl := agent.Controller{Env: c.env, Backend: b}
	name, err := ctl.DeclareSavedModel(agent.Declaration{ExportBase: ffmExport, ModelName: "test_ffm_model", Overwrite: true, Arch: "entry_ps"})
	c.must(err)
	if name != "test_ffm_model" {
		c.t.Errorf("declared %q, want test_ffm_model", name)
	}
	return ctl, b
}

func TestUpstreamAgentController_test_decl_saved_models(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		_, b := c.declareFFM()
		defer b.Stop()
		got, err := b.ListSavedModels("test_ffm_model")
		c.must(err)
		if diff := cmp.Diff(ffm(ffmGraphs...), got); diff != "" {
			t.Errorf("saved models (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamAgentController_test_pub(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		ctl, b := c.declareFFM()
		defer b.Stop()
		does := func(action, pattern string, want ...any) {
			t.Helper()
			c.must(ctl.MapModelToLayout("test_ffm_model:"+pattern, ffmLayout, action))
			info, err := b.BzidInfo()
			c.must(err)
			layout, ok := item(item(info, "layout_info").(*pysem.Dict), "test_layout1").([]any)
			if !ok {
				t.Fatalf("%s of %s: no test_layout1 in %v", action, pattern, info)
			}
			if diff := cmp.Diff(append([]any{}, want...), layout); diff != "" {
				t.Errorf("layout after %s of %s (-want +got):\n%s", action, pattern, diff)
			}
		}
		const entry = "test_ffm_model:entry"
		does("pub", "entry", entry)
		does("pub", "ps_*", entry, "test_ffm_model:ps_0", "test_ffm_model:ps_1", "test_ffm_model:ps_2", "test_ffm_model:ps_3", "test_ffm_model:ps_4")
		does("unpub", "ps_*", entry)
		does("unpub", "entry")
	})
}
