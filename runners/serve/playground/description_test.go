package playground_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/serve/playground"
)

// Goal: a valid description becomes a spec with its values. An invalid one is refused, with the
// file, the line and the field.

func TestExampleIsRead(t *testing.T) {
	d, err := playground.Parse("cluster.yaml", []byte(playground.Example))
	if err != nil {
		t.Fatal(err)
	}
	ctr := runners.Model{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{
		{Name: "entry", Versions: []int64{1}, SizeBytes: 2e6}, {Name: "ps_0", Versions: []int64{1}, SizeBytes: 20e6},
	}}
	want := &playground.Description{
		Name:   "cluster.yaml",
		Spec:   runners.Spec{Shards: 1, Replicas: 2, RestartAfter: 10 * time.Second, Conf: runners.ConfV3, Models: []runners.Model{ctr}},
		Deploy: []playground.Deployed{{Model: ctr, Policy: "latest", Publish: true}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent.conf"), []byte("bzid mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"bzid: b\nlayout: l", "bzid b\n"},
		{"bzid: b\nlayout: l", "layout_pattern l\n"},
		{"agent_version: 1\nmodels: [{name: m, sub_graphs: [{name: entry}, {name: ps_0}, {name: ps_1}, {name: ps_2}]}]", "base_path /models/m\nnum_ps 3\n"},
		{"conf: agent.conf", "bzid mine\n"},
	} {
		d, err := playground.Parse(filepath.Join(dir, "x.yaml"), []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if !strings.Contains(d.Spec.Conf, c.want) {
			t.Errorf("%s: got conf\n%s\nwant %q in it", c.text, d.Spec.Conf, c.want)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x.yaml: found nothing, want a description, as:"},
		{"replicas: [", "x.yaml:1:1: "},
		{"- a", "x.yaml:1: the description: found a list, want fields with values"},
		{"a: 1", "x.yaml:1: a: found a field that there is not, want one of agent_version"},
		{"replicas: 1\nreplicas: 2", "x.yaml"},
		{"shards: 1\nreplicas: many", `x.yaml:2: replicas: found "many", want a whole number`},
		{"replicas: 0", "x.yaml:1: replicas: found 0, want 1 to 100"},
		{"replicas: {a: 1}", "x.yaml:1: replicas: found fields, want one value"},
		{"models: ctr", `x.yaml:1: models: found "ctr", want a list`},
		{"models:\n  - base_path: /m", "x.yaml:2: models[0]: found no name, want one"},
		{"models:\n  - name: m", "x.yaml:2: models[0]: found no sub_graphs"},
		{"models:\n  - name: m\n    base_path: m\n    sub_graphs: [{name: a}]", `x.yaml:3: models[0].base_path: found "m", want a path from the root`},
		{"models:\n  - name: m\n    sub_graphs:\n      - {name: a, size: 20XB}", `x.yaml:4: models[0].sub_graphs[0].size: found "20XB", want a size`},
		{"models:\n  - name: m\n    sub_graphs:\n      - {name: a, versions: [0]}", "models[0].sub_graphs[0].versions: found 0, want 1 or more"},
		{"models:\n  - name: m\n    sub_graphs:\n      - {name: a, version: 1}", "x.yaml:4: models[0].sub_graphs[0].version: found a field that there is not"},
		{"restart_after: soon", `x.yaml:1: restart_after: found "soon", want a time as 10s`},
		{"agent_version: 2", "x.yaml:1: agent_version: found 2, want 1 or 3"},
		{"agent_version: 1", "models: found 0, want one for agents of version 1"},
		{"agent_version: 1\nlayout: l", "x.yaml:2: layout: found one, want none"},
		{"conf: none.conf", "x.yaml:1: conf: open none.conf"},
		{"locations: [{idc: a}]", "locations[0]: found no idc or no cluster, want both"},
		{"locations: [{idc: a, cluster: b/c}]", `x.yaml:1: locations[0].cluster: found "b/c", want the name of one folder`},
		{"conf: ../agent.conf", "x.yaml:1: conf: open ../agent.conf: path escapes from parent, want an agent.conf"},
		{"bzid: a/b", `x.yaml:1: bzid: found "a/b", want the name of one folder, as ctr, without separators`},
		{"models:\n  - name: a\\b", `x.yaml:2: models[0].name: found "a\\b", want the name of one folder, as ctr, without separators`},
		{"models:\n  - name: a\n    sub_graphs:\n      - name: ..", `x.yaml:4: models[0].sub_graphs[0].name: found "..", want the name`},
		{"models:\n  - name: a\n    sub_graphs:\n      - name: ps_0\n      - name: ps_0", `x.yaml:5: models[0].sub_graphs[1].name: found "ps_0" in /models/a/ps_0, want a folder apart from /models/a/ps_0`},
		{"models:\n  - {name: a, sub_graphs: [{name: entry}]}\n  - {name: b, base_path: /models, sub_graphs: [{name: a}]}", `x.yaml:3: models[1].sub_graphs[0].name: found "a" in /models/a, want a folder apart from /models/a/entry`},
		{"models:\n  - name: a\n    base_path: /a/../b", `x.yaml:3: models[0].base_path: found "/a/../b", want a path from the root whose parts`},
	} {
		if _, err := playground.Parse("x.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := playground.Read("/no/such/file"); err == nil || !strings.Contains(err.Error(), "/no/such/file") {
		t.Errorf("got %v", err)
	}
}
