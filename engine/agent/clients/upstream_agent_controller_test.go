package clients_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// The reference's agent_controller_test.py uses a real exported model, whose entry graph is not
// public. The export here has the same sub-graphs. Its entry graph is only the node that the test
// needs: a remote call of test_ffm_model.

const (
	ffmExport  = worldtest.Dir + "/saved_model"
	ffmVersion = "/1622716114"
	ffmLayout  = "/gip/layouts/test_layout1"
)

var ffmGraphs = []string{"entry", "ps_0", "ps_1", "ps_2", "ps_3", "ps_4"}

func exportFFM(c *worldtest.Case) {
	c.T.Helper()
	for _, graph := range ffmGraphs {
		c.Must(c.Env.Files.MkdirAll(ffmExport + "/" + graph + ffmVersion))
	}
	call := &framework.NodeDef{Name: "call", Op: "TfServingRemotePredict", Attr: map[string]*framework.AttrValue{
		"model_name": {Value: &framework.AttrValue_S{S: []byte("test_ffm_model:ps_0")}},
	}}
	graph, err := proto.Marshal(&tfcore.SavedModel{MetaGraphs: []*tfcore.MetaGraphDef{
		{GraphDef: &framework.GraphDef{Node: []*framework.NodeDef{call}}},
	}})
	c.Must(err)
	c.Must(c.Env.Files.WriteFile(ffmExport+"/entry"+ffmVersion+"/saved_model.pb", graph))
}

// declareFFM starts a backend and declares the exported model in it.
func declareFFM(c *worldtest.Case) (clients.Controller, *backends.ZKBackend) {
	c.T.Helper()
	exportFFM(c)
	b := backends.NewZKBackend(c.Env, "gip", worldtest.NewZooKeeper(c.Env))
	c.Must(b.Start())
	ctl := clients.Controller{Env: c.Env, Backend: b}
	name, err := ctl.DeclareSavedModel(clients.Declaration{ExportBase: ffmExport, ModelName: "test_ffm_model", Overwrite: true, Arch: "entry_ps"})
	c.Must(err)
	if name != "test_ffm_model" {
		c.T.Errorf("declared %q, want test_ffm_model", name)
	}
	return ctl, b
}

func TestUpstreamAgentController_test_decl_saved_models(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		_, b := declareFFM(c)
		defer b.Stop()
		got, err := b.ListSavedModels("test_ffm_model")
		c.Must(err)
		var want []datadef.SavedModel
		for _, graph := range ffmGraphs {
			want = append(want, datadef.SavedModel{ModelName: "test_ffm_model", SubGraph: graph})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("saved models (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamAgentController_test_pub(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		ctl, b := declareFFM(c)
		defer b.Stop()
		does := func(action, pattern string, want ...any) {
			t.Helper()
			c.Must(ctl.MapModelToLayout("test_ffm_model:"+pattern, ffmLayout, action))
			info, err := b.BzidInfo()
			c.Must(err)
			layouts, _ := info.Get("layout_info")
			named, _ := layouts.(*pysem.Dict).Get("test_layout1")
			layout, ok := named.([]any)
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
