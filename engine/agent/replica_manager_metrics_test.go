package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// prefixes notes the clients that are made.
type prefixes []string

func (p *prefixes) Client(prefix string) MetricsClient {
	*p = append(*p, prefix)
	return NoMetrics{}.Client(prefix)
}

// The goal is that values are stored under the prefixes of
// replica_manager.py:418-428; what is stored is held to the reference by the
// sequences of runners/simrun.
func TestMetricsPrefixIsThatOfTheSurroundings(t *testing.T) {
	none := func(string) ([]env.ModelVersionStatus, error) { return nil, nil }
	for _, c := range []struct {
		name string
		vars map[string]string
		base OptString
		want []string
		err  string
	}{
		{"named by the platform", map[string]string{"MONOLITH_METRIC_PREFIX": "p", "TCE_PSM": "a.b.c"}, pysem.Some("n"), []string{"p", globalMetricsPrefix}, ""},
		{"named by the service", map[string]string{"TCE_PSM": "a.b.c"}, pysem.Some("n"), []string{"a.b.c", globalMetricsPrefix}, ""},
		{"empty is a name", map[string]string{"TCE_PSM": ""}, pysem.Some("n"), []string{"", globalMetricsPrefix}, ""},
		{"named by the model", nil, pysem.Some("n"), []string{"data.monolith_serving.n", globalMetricsPrefix}, ""},
		{"not named", nil, OptString{}, nil, "TypeError"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got prefixes
			_, err := NewVersionMetrics(newCaseEnv(nil, c.vars), &AgentConfig{BaseName: c.base}, &got, none)
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
	e := newCaseEnv(nil, nil)
	conf, err := NewConfig(e, Field{"bzid", "b"}, Field{"base_name", "n"}, Field{"deploy_type", "ps"}, Field{"use_metrics", true})
	if err != nil {
		t.Fatal(err)
	}
	u, err := NewReplicaUpdater(e, newCaseZooKeeper(), conf)
	if err != nil {
		t.Fatal(err)
	}
	if u.versions == nil || u.versions.own != (noMetricsClient{}) || u.versions.global != (noMetricsClient{}) {
		t.Errorf("got metrics %+v, want clients that drop all values", u.versions)
	}
}
