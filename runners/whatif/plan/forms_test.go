package plan

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// Goal: every form of a value that the documentation lists is accepted in a plan (CAP-12.4).
// Method: put each line of that list into the plan small.
func TestTheFormsOfTheListAreRead(t *testing.T) {
	text, err := os.ReadFile("../plans/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## How values are written")
	_, list, _ = strings.Cut(list, "```yaml\n")
	list, _, _ = strings.Cut(list, "```")
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		var one map[string]any
		if err := yaml.Unmarshal([]byte(line), &one); err != nil || len(one) != 1 {
			t.Fatalf("%s: found %v, %v, want a path and its value", line, one, err)
		}
		var tree map[string]any
		whole := strings.Replace(small, "horizon: 60s", "horizon: 60s\n  detail: {windows: [\"each incident -1s..+5s\"]}\nevents: [{at: 1s, name: recall, publish: {version: 2}}]", 1)
		if err := yaml.Unmarshal([]byte(whole), &tree); err != nil {
			t.Fatal(err)
		}
		for path, value := range one {
			seen[path] = true
			put(tree, strings.Split(path, "."), value)
			if strings.HasPrefix(path, "service.dense") {
				put(tree, []string{"fleet", "dense"}, map[string]any{"replicas": 1, "cpu": 4, "mem": "64GiB"})
				put(tree, []string{"model", "size", "dense"}, "1GiB")
			}
		}
		made, err := yaml.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := Parse("plan.yaml", made); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, path := range []string{"workload.rate", "workload.detail.windows", "client.hedge.after", "events", "budget.requests", "service.items", "service.ps.noise"} {
		if !seen[path] {
			t.Errorf("the list has no %s", path)
		}
	}
}

// put sets the value at a path of a tree, and creates missing mappings.
func put(tree map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		tree = next
	}
	tree[path[len(path)-1]] = value
}

// Goal: a fleet with a dense tier corresponds to dense_alone in agent.conf (CAP-12.2), and
// the two have to agree. Batching also requires enable_batching.
func TestDenseServersAreDenseAlone(t *testing.T) {
	const dense = "  dense: {replicas: 2, cpu: 4, mem: 8GiB}\n"
	for _, c := range []struct {
		conf, fleet, law string
		batched          bool
		want             string // text that a problem has to contain
	}{
		{"", dense, "cpu: 1ms", false, ""},
		{"enable_batching yes\n", dense, "batch: \"affine(base=1ms, per_item=1us)\"", true, ""},
		{"dense_alone yes\nenable_batching yes\n", dense, "batch: \"affine(base=1ms, per_item=1us)\"", true, ""},
		{"dense_alone yes\n", dense, "cpu: 1ms", false, ""},
		{"dense_alone no\n", dense, "cpu: 1ms", false, "a.conf:8 says dense_alone no, but there is a fleet.dense"},
		{"dense_alone yes\n", "", "", false, "a.conf:8 says dense_alone yes, but there is no fleet.dense"},
		{"rough_sort_model_name sorter\n", "", "", false, "model.rough_sort.size is required: a.conf:8 has the rough sort model sorter"},
		{"rough_sort_model_name sorter\nrough_sort_model_loaded_server none\n", "", "", false, ""},
		{"enable_batching yes\n", "", "", false, ""},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile("a.conf", []byte("bzid a\nbase_name a\nbase_path /a\ndeploy_type ps\nagent_version 1\nnum_ps 4\nnum_shard 2\n"+c.conf), 0o644); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("  size: {embeddings: 10GiB}\noverride: {num_ps: 4, num_shard: 2}", "  agent_conf: a.conf\n  size: {embeddings: 10GiB, dense: 1GiB}",
			"service:\n", c.fleet+"service:\n").Replace(small)
		if c.law != "" {
			text = strings.Replace(text, "service:\n", "service:\n  dense: {"+c.law+"}\n", 1)
		}
		_, p, warnings, err := Parse("plan.yaml", []byte(text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q and %q: %v (%v)", c.conf, c.fleet, err, warnings)
		case c.want == "" && p.Override.Batching.Enabled != c.batched:
			t.Errorf("%q and %q: batching %v, want %v", c.conf, c.fleet, p.Override.Batching.Enabled, c.batched)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q and %q: got %v, want %q", c.conf, c.fleet, err, c.want)
		}
	}
}

// Goal: whatever is one number or one word can be swept over, wherever it stands. Method: each such value of the
// worked plans and of the forms in their README, but for lists of words and what says how to search and report.
func TestEachNumberAndWordCanBeSweptOver(t *testing.T) {
	files, err := filepath.Glob("../plans/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		var walk func(n *yaml.Node, path string)
		walk = func(n *yaml.Node, path string) {
			switch {
			case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode || slices.Contains([]string{"sweep", "solve", "report", "worlds"}, path):
			case hasPath(n, []string{"mid"}): // a value that is not known for sure
			case n.Kind == yaml.ScalarNode:
				seen++
				if f, ok := fieldAt(reflect.TypeFor[Plan](), strings.Split(path, "."), ""); !ok || !isSingle(f.t) {
					t.Errorf("%s: %s cannot be swept over: %v", filepath.Base(file), path, f.t)
				}
			case n.Kind == yaml.SequenceNode:
				for i, item := range n.Content {
					walk(item, join(path, strconv.Itoa(i)))
				}
			default:
				for i := 0; i+1 < len(n.Content); i += 2 {
					walk(n.Content[i+1], join(path, n.Content[i].Value))
				}
			}
		}
		walk(root.Content[0], "")
	}
	if seen < 500 {
		t.Errorf("looked at %d values, want 500 or more", seen)
	}
}
