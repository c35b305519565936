package simrun_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/pysem"
)

// gipBackend is backends_test.py, setUpClass.
type gipBackend struct {
	*agent.ZKBackend
	c      *parityCase
	zk     *recordingZK
	layout []agent.LayoutModel
}

const gipLayout = "/gip/layouts/test_layout/mixed"

var gipContainer = agent.Container{Cluster: "default", ID: "asdf"}

func gipInfo() *agent.ContainerServiceInfo {
	return &agent.ContainerServiceInfo{
		GRPC: pysem.Some("localhost:8888"), HTTP: pysem.Some("localhost:8889"),
		Archon: pysem.Some("localhost:8890"), Agent: pysem.Some("localhost:8891"), IDC: pysem.Some("IDC"),
	}
}

func inGip(t *testing.T, fn func(b *gipBackend)) {
	inFakeWorld(t, nil, func(c *parityCase) {
		b := &gipBackend{c: c, zk: newRecordingZK(c.env)}
		b.ZKBackend = agent.NewZKBackend(c.env, "gip", b.zk)
		c.must(b.Start())
		c.must(b.ReportServiceInfo(gipContainer, gipInfo()))
		c.must(b.RegisterLayoutCallback(gipLayout, func(models []agent.LayoutModel) error {
			b.layout = models
			return nil
		}))
		fn(b)
		b.Stop()
	})
}

func ffm(graphs ...string) []agent.SavedModel {
	var models []agent.SavedModel
	for _, g := range graphs {
		models = append(models, agent.SavedModel{ModelName: "test_ffm_model", SubGraph: g})
	}
	return models
}

func (b *gipBackend) sync(graphs ...string) {
	b.c.t.Helper()
	b.c.must(b.SyncAvailableSavedModels(gipContainer, ffm(graphs...)))
}

func TestUpstreamBackends_test_register_service(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		got, err := b.GetServiceInfo(gipContainer)
		b.c.must(err)
		if diff := cmp.Diff(gipInfo(), got, sameInfo); diff != "" {
			t.Errorf("service info (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamBackends_test_layout_callback(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		wants := func(graphs ...string) {
			t.Helper()
			var want, got []string
			for _, m := range ffm(graphs...) {
				want = append(want, m.String()+" /exported_models/"+m.SubGraph+" latest")
			}
			for _, m := range b.layout {
				got = append(got, m.Model.String()+" "+m.Deploy.ModelBasePath.V+" "+m.Deploy.VersionPolicy.V)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
		}
		for _, m := range ffm("entry", "ps_0", "ps_1", "ps_2") {
			b.c.must(b.DeclSavedModel(m, &agent.SavedModelDeployConfig{
				ModelBasePath: pysem.Some("/exported_models/" + m.SubGraph), VersionPolicy: pysem.Some("latest"),
			}))
			b.c.must(b.AddToLayout(gipLayout, m))
		}
		wants("entry", "ps_0", "ps_1", "ps_2")
		b.c.must(b.RemoveFromLayout(gipLayout, ffm("entry")[0]))
		wants("ps_0", "ps_1", "ps_2")
	})
}

func TestUpstreamBackends_test_sync_available_models(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.sync("entry", "ps_0", "ps_1")
		got, err := b.zk.Children("/gip/binding/test_ffm_model")
		b.c.must(err)
		if diff := cmp.Diff([]string{"entry:default:asdf", "ps_0:default:asdf", "ps_1:default:asdf"}, got); diff != "" {
			t.Errorf("bindings (-want +got):\n%s", diff)
		}
	})
}

// The reference's assertion cannot fail (Q53): no model is in the layout, so its
// map stays empty. Here the models are published first.
func TestUpstreamBackends_test_service_map(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		for _, m := range ffm("entry", "ps_0") {
			b.c.must(b.DeclSavedModel(m, &agent.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}))
			b.c.must(b.AddToLayout(gipLayout, m))
		}
		b.sync("entry", "ps_0")
		info := []*agent.ContainerServiceInfo{gipInfo()}
		want := agent.ServiceMap{{Model: "test_ffm_model", SubGraphs: []agent.SubGraphServices{{SubGraph: "entry", Services: info}, {SubGraph: "ps_0", Services: info}}}}
		if diff := cmp.Diff(want, b.ServiceMap(), sameInfo); diff != "" {
			t.Errorf("service map (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamBackends_test_sync_backend(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.c.must(b.SubscribeModel("test_ffm_model"))
		b.sync("ps_0", "ps_1", "ps_2")
		name, addrs, err := b.SyncTargets("ps_1")
		b.c.must(err)
		if name != "test_ffm_model:ps_1" {
			t.Errorf("target: got %q, want test_ffm_model:ps_1", name)
		}
		if diff := cmp.Diff([]agent.OptString{pysem.Some("localhost:8888")}, addrs); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
	})
}
