package agentconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pysem"
)

func TestUpstreamUtils_test_gen_model_spec(t *testing.T) {
	spec, err := GenModelSpec("model", 1, pysem.Some("predict"))
	if err != nil {
		t.Fatal(err)
	}
	if spec.GetName() != "model" || spec.GetVersion().GetValue() != 1 || spec.GetSignatureName() != "predict" {
		t.Errorf("got %v, want version 1 of model with signature predict", spec)
	}
}

func TestUpstreamUtils_test_gen_model_config(t *testing.T) {
	labels := map[string]int64{"v0": 0, "v1": 1}
	c, err := GenModelConfig(ModelConfigArgs{
		Name: "model", BasePath: pysem.Some("/tmp/model/saved_model"),
		VersionPolicy: pysem.Some("latest"), VersionData: 2, VersionLabels: labels,
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.GetName() != "model" || c.GetBasePath() != "/tmp/model/saved_model" {
		t.Errorf("got %q at %q, want model at /tmp/model/saved_model", c.GetName(), c.GetBasePath())
	}
	if n := c.GetModelVersionPolicy().GetLatest().GetNumVersions(); n != 2 {
		t.Errorf("latest: got %d versions, want 2", n)
	}
	if diff := cmp.Diff(labels, c.GetVersionLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestUpstreamUtils_test_gen_status_proto(t *testing.T) {
	s := GenStatusProto(rpcerrors.Canceled, pysem.Some("CANCELLED"))
	if s.GetErrorCode() != tfcore.Code_CANCELLED || s.GetErrorMessage() != "CANCELLED" {
		t.Errorf("got %v, want code and message CANCELLED", s)
	}
}

func TestUpstreamUtils_test_gen_model_version_status(t *testing.T) {
	s := GenModelVersionStatus(1, env.StateStart, rpcerrors.NotFound, pysem.Some("NOT_FOUND"))
	if s.GetVersion() != 1 || s.GetState() != apis.ModelVersionStatus_START {
		t.Errorf("got %v, want version 1 in state START", s)
	}
	if code := s.GetStatus().GetErrorCode(); code != tfcore.Code_NOT_FOUND {
		t.Errorf("code: got %v, want NOT_FOUND", code)
	}
}

// shippedConf holds the settings of the reference's agent.conf that the tests check or depend on.
const shippedConf = `
bzid predict_ctr
base_name predict_ctr
base_path hdfs:///test/data
num_ps 10
server_type entry
zk_servers 127.0.0.1:12345
layout_filters ps_0
layout_filters ps_1
agent_version 1
stand_alone_serving true
num_shard 1
dc_aware 1
`

func fromShippedConf(t *testing.T) *AgentConfig {
	t.Helper()
	conf, err := FromFile(envtest.New(map[string]string{"agent.conf": shippedConf}, map[string]string{"MY_HOST_IP": "127.0.0.1"}), "agent.conf")
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

func TestUpstreamUtils_test_gen_from_file(t *testing.T) {
	if !fromShippedConf(t).StandAloneServing {
		t.Error("stand_alone_serving: got false, want true")
	}
}

func TestUpstreamUtils_test_list_field(t *testing.T) {
	if diff := cmp.Diff([]string{"ps_0", "ps_1"}, fromShippedConf(t).LayoutFilters); diff != "" {
		t.Errorf("layout_filters (-want +got):\n%s", diff)
	}
}

func TestUpstreamUtils_test_get_cmd_and_port(t *testing.T) {
	conf := fromShippedConf(t)
	polls := func() bool {
		t.Helper()
		cmd, port, err := conf.CmdAndPort("tensorflow_model_server", pysem.Some("ps"), pysem.OptString{})
		if err != nil {
			t.Fatal(err)
		}
		if port != conf.TFSPSPort {
			t.Errorf("port: got %v, want %v", port, conf.TFSPSPort)
		}
		return strings.Contains(cmd, "model_config_file_poll_wait_seconds")
	}
	if polls() {
		t.Error("an agent of version 1 has the server poll its configuration, want it not to")
	}
	conf.AgentVersion = 2
	if !polls() {
		t.Error("an agent of version 2 does not have the server poll its configuration, want it to")
	}
}

var none = pysem.OptString{}

func TestUpstreamUtils_test_zk_path_full(t *testing.T) {
	hasParts(t, matchZKPath("/bzid/service/base_name/idc:cluster/server_type:0/1"),
		"bzid", "base_name", pysem.Some("idc"), pysem.Some("cluster"), "server_type", "0", pysem.Some("1"))
}

func TestUpstreamUtils_test_zk_path_partial(t *testing.T) {
	p := matchZKPath("/bzid/service/base_name/idc:cluster/server_type:0")
	hasParts(t, p, "bzid", "base_name", pysem.Some("idc"), pysem.Some("cluster"), "server_type", "0", none)
	if !p.ShipIn(pysem.Some("idc"), pysem.Some("cluster")) {
		t.Error("it does not belong to its own location")
	}
	if p.ShipIn(pysem.Some("idc"), pysem.Some("other")) {
		t.Error("it belongs to another cluster")
	}
}

func TestUpstreamUtils_test_zk_path_old_full(t *testing.T) {
	hasParts(t, matchZKPath("/bzid/service/base_name/server_type:0/1"),
		"bzid", "base_name", none, none, "server_type", "0", pysem.Some("1"))
}

func TestUpstreamUtils_test_zk_path_old_partial(t *testing.T) {
	hasParts(t, matchZKPath("/bzid/service/base_name/server_type:0"),
		"bzid", "base_name", none, none, "server_type", "0", none)
}

func TestUpstreamUtils_test_zk_path_old_partial2(t *testing.T) {
	const bzid, base = "1_20001223_44ce735e-d05c-11ec-ba29-00163e356637", "20001223_zm_test_realtime_training_1328_v4_r982567_0"
	hasParts(t, matchZKPath("/"+bzid+"/service/"+base+"/ps:1"), bzid, base, none, none, "ps", "1", none)
}

// hasParts checks the parts of a path and what is derived from them. It also checks that the path
// is accepted for any location.
func hasParts(t *testing.T, p ZKPath, bzid, base string, idc, cluster pysem.OptString, serverType, index string, replica pysem.OptString) {
	t.Helper()
	want := ZKPath{
		Path: p.Path, Bzid: pysem.Some(bzid), BaseName: pysem.Some(base), IDC: idc, Cluster: cluster,
		ServerType: pysem.Some(serverType), Index: pysem.Some(index), ReplicaID: replica,
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("%s (-want +got):\n%s", p.Path, diff)
	}
	location := none
	if idc.Set {
		location = pysem.Some(idc.V + ":" + cluster.V)
	}
	if got := p.Location(); got != location {
		t.Errorf("location: got %v, want %v", got, location)
	}
	if got := p.Task(); got != pysem.Some(serverType+":"+index) {
		t.Errorf("task: got %v, want %s:%s", got, serverType, index)
	}
	if !p.ShipIn(none, none) {
		t.Error("no location in particular: it does not belong to it")
	}
}
