package replicamanager

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
)

// prefixes records the prefixes of the metrics clients that are made.
type prefixes []string

func (p *prefixes) Client(prefix string) MetricsClient {
	*p = append(*p, prefix)
	return noMetrics{}.Client(prefix)
}

// Goal: metrics have the prefixes of replica_manager.py:418-428, which depend on environment
// variables. The stored values are compared with the reference by the suite replica_manager.
func TestMetricsPrefixIsThatOfTheSurroundings(t *testing.T) {
	none := func(string) ([]env.ModelVersionStatus, error) { return nil, nil }
	for _, c := range []struct {
		name string
		vars map[string]string
		base pysem.OptString
		want []string
		err  string
	}{
		{"named by the platform", map[string]string{"MONOLITH_METRIC_PREFIX": "p", "TCE_PSM": "a.b.c"}, pysem.Some("n"), []string{"p", globalMetricsPrefix}, ""},
		{"named by the service", map[string]string{"TCE_PSM": "a.b.c"}, pysem.Some("n"), []string{"a.b.c", globalMetricsPrefix}, ""},
		{"empty is a name", map[string]string{"TCE_PSM": ""}, pysem.Some("n"), []string{"", globalMetricsPrefix}, ""},
		{"named by the model", nil, pysem.Some("n"), []string{"data.monolith_serving.n", globalMetricsPrefix}, ""},
		{"not named", nil, pysem.OptString{}, nil, "TypeError"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got prefixes
			_, err := NewVersionMetrics(envtest.New(nil, c.vars), &agentconfig.AgentConfig{BaseName: c.base}, &got, none)
			if diff := cmp.Diff(c.want, []string(got)); diff != "" {
				t.Errorf("prefixes (-want +got):\n%s", diff)
			}
			if pysem.TypeOf(err) != c.err {
				t.Errorf("error: got %v, want %q", err, c.err)
			}
		})
	}
}

func TestQ129_MetricsGoNowhereUnlessTold(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Log = envtest.Quiet{}
	conf, err := agentconfig.NewConfig(e, dataclass.Field{Name: "bzid", Value: "b"}, dataclass.Field{Name: "base_name", Value: "n"}, dataclass.Field{Name: "deploy_type", Value: "ps"}, dataclass.Field{Name: "use_metrics", Value: true})
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewReplicaUpdater(e, envtest.NewZooKeeper(), conf)
	if err != nil {
		t.Fatal(err)
	}
	if u.versions == nil || u.versions.own != (noMetricsClient{}) || u.versions.global != (noMetricsClient{}) {
		t.Errorf("got metrics %+v, want clients that drop all values", u.versions)
	}
}

// emitted records the names of the stored metrics.
type emitted []string

func (l *emitted) Client(string) MetricsClient                  { return l }
func (l *emitted) EmitStore(key string, _ int64, _ []MetricTag) { *l = append(*l, key) }
func (l *emitted) Flush()                                       { *l = append(*l, "flush") }

// Goal: a model without versions does not prevent the metrics of the models after it
// (replica_manager.py:625-626, continue).
func TestAModelWithoutVersionsIsPassedOver(t *testing.T) {
	e := envtest.New(nil, map[string]string{"SHARD_ID": "0"})
	e.Clock, e.Log = envtest.Clock{}, envtest.Quiet{}
	conf, err := agentconfig.NewConfig(e, dataclass.Field{Name: "bzid", Value: "b"}, dataclass.Field{Name: "base_name", Value: "n"}, dataclass.Field{Name: "deploy_type", Value: "ps"})
	if err != nil {
		t.Fatal(err)
	}
	var got emitted
	v, err := NewVersionMetrics(e, conf, &got, func(model string) ([]env.ModelVersionStatus, error) {
		if model == "ps_0" {
			return nil, nil
		}
		return []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Check([]string{"ps_0", "ps_1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{MetricLatestVersion, MetricUpdateTs, "flush"}, []string(got)); diff != "" {
		t.Errorf("of ps_1 (-want +got):\n%s", diff)
	}
}

// Goal: a version that could not be loaded and is deleted is no error while an older one serves, once
// Q333 is repaired.
func TestQ333_AVersionThatIsGoneEndsTheRoundOfMetrics(t *testing.T) {
	for _, c := range []struct {
		keep quirks.Set
		want emitted
		err  string
	}{
		{quirks.Python, nil, "gone"},
		{quirks.Fixed, emitted{MetricLatestVersion, MetricUpdateTs, "flush"}, ""},
	} {
		e := envtest.New(nil, map[string]string{"SHARD_ID": "0"})
		e.Clock, e.Log = envtest.Clock{}, envtest.Quiet{}
		conf, err := agentconfig.NewConfig(e, dataclass.Field{Name: "bzid", Value: "b"}, dataclass.Field{Name: "base_name", Value: "n"}, dataclass.Field{Name: "deploy_type", Value: "ps"})
		if err != nil {
			t.Fatal(err)
		}
		conf.Quirks = c.keep
		var got emitted
		v, err := NewVersionMetrics(e, conf, &got, func(string) ([]env.ModelVersionStatus, error) {
			failed := env.ModelVersionStatus{Version: 2, State: env.StateEnd, Status: env.StatusProto{Code: rpcerrors.NotFound, Message: "gone"}}
			return []env.ModelVersionStatus{failed, {Version: 1, State: env.StateAvailable}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = v.Check([]string{"ps_0"})
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("error: got %v, want %q", err, c.err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(v.highest) > 0 && v.highest["ps_0"] != 1 {
			t.Errorf("latest %v, metrics (-want +got):\n%s", v.highest, diff)
		}
	}
}
