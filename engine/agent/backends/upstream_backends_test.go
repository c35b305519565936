package backends_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// gipBackend is backends_test.py, setUpClass.
type gipBackend struct {
	*backends.ZKBackend
	c      *worldtest.Case
	zk     *worldtest.ZooKeeper
	layout []backends.LayoutModel
}

// sameInfo compares the exported fields of service infos, and ignores how they were decoded.
var sameInfo = cmp.Options{cmpopts.IgnoreUnexported(datadef.ContainerServiceInfo{})}

const gipLayout = "/gip/layouts/test_layout/mixed"

var gipContainer = datadef.Container{Cluster: "default", ID: "asdf"}

func gipInfo() *datadef.ContainerServiceInfo {
	return &datadef.ContainerServiceInfo{
		GRPC: pysem.Some("localhost:8888"), HTTP: pysem.Some("localhost:8889"),
		Archon: pysem.Some("localhost:8890"), Agent: pysem.Some("localhost:8891"), IDC: pysem.Some("IDC"),
	}
}

func inGip(t *testing.T, fn func(b *gipBackend)) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		b := &gipBackend{c: c, zk: worldtest.NewZooKeeper(c.Env)}
		b.ZKBackend = backends.NewZKBackend(c.Env, "gip", b.zk)
		c.Must(b.Start())
		c.Must(b.ReportServiceInfo(gipContainer, gipInfo()))
		c.Must(b.RegisterLayoutCallback(gipLayout, func(models []backends.LayoutModel) error {
			b.layout = models
			return nil
		}))
		fn(b)
		b.Stop()
	})
}

func ffm(graphs ...string) []datadef.SavedModel {
	var models []datadef.SavedModel
	for _, g := range graphs {
		models = append(models, datadef.SavedModel{ModelName: "test_ffm_model", SubGraph: g})
	}
	return models
}

func (b *gipBackend) sync(graphs ...string) {
	b.c.T.Helper()
	b.c.Must(b.SyncAvailableSavedModels(gipContainer, ffm(graphs...)))
}

func TestUpstreamBackends_test_register_service(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		got, err := b.GetServiceInfo(gipContainer)
		b.c.Must(err)
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
			b.c.Must(b.DeclSavedModel(m, &datadef.SavedModelDeployConfig{
				ModelBasePath: pysem.Some("/exported_models/" + m.SubGraph), VersionPolicy: pysem.Some("latest"),
			}))
			b.c.Must(b.AddToLayout(gipLayout, m))
		}
		wants("entry", "ps_0", "ps_1", "ps_2")
		b.c.Must(b.RemoveFromLayout(gipLayout, ffm("entry")[0]))
		wants("ps_0", "ps_1", "ps_2")
	})
}

func TestUpstreamBackends_test_sync_available_models(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.sync("entry", "ps_0", "ps_1")
		got, err := b.zk.Children("/gip/binding/test_ffm_model")
		b.c.Must(err)
		if diff := cmp.Diff([]string{"entry:default:asdf", "ps_0:default:asdf", "ps_1:default:asdf"}, got); diff != "" {
			t.Errorf("bindings (-want +got):\n%s", diff)
		}
	})
}

// Goal: the service map has the models of the layout. The reference's own assertion can never fail
// (Q53), because it publishes no model and its map stays empty. Here the models are published
// first.
func TestUpstreamBackends_test_service_map(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		for _, m := range ffm("entry", "ps_0") {
			b.c.Must(b.DeclSavedModel(m, &datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}))
			b.c.Must(b.AddToLayout(gipLayout, m))
		}
		b.sync("entry", "ps_0")
		info := []*datadef.ContainerServiceInfo{gipInfo()}
		want := backends.ServiceMap{{Model: "test_ffm_model", SubGraphs: []backends.SubGraphServices{{SubGraph: "entry", Services: info}, {SubGraph: "ps_0", Services: info}}}}
		if diff := cmp.Diff(want, b.ServiceMap(), sameInfo); diff != "" {
			t.Errorf("service map (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamBackends_test_sync_backend(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.c.Must(b.SubscribeModel("test_ffm_model"))
		b.sync("ps_0", "ps_1", "ps_2")
		name, addrs, err := b.SyncTargets("ps_1")
		b.c.Must(err)
		if name != "test_ffm_model:ps_1" {
			t.Errorf("target: got %q, want test_ffm_model:ps_1", name)
		}
		if diff := cmp.Diff([]pysem.OptString{pysem.Some("localhost:8888")}, addrs); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
	})
}
