package whatif

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/runners/show/jsonschema"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// unworked lists the keys that no example plan has, each with the reason.
var unworked = map[string]string{
	"events.kill.TIER.factor":        "of slow, which names containers as kill does",
	"workload.mix.shard_skew.shares": "as model.shard_skew.shares",
}

// ofTier matches the place of a path where the name of a tier stands.
var ofTier = regexp.MustCompile(`^(autoscale|service|fleet|random_failures|events\.kill|events\.slow|events\.scale|workload\.mix)\.(entry|ps|dense|mixed)\b`)

// keyOf returns the path of a key without the indices of lists, and with TIER where the name of a
// tier stands.
func keyOf(path string) string { return ofTier.ReplaceAllString(path, "$1.TIER") }

// Goal: an example plan shows what each key of plans does. Method: the paths of the schema, one for
// all tiers, and those of all example plans, among them the paths that are swept and searched over.
func TestEveryKeyIsInAWorkedPlan(t *testing.T) {
	used := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(plansDir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := yaml.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		keysUsed(used, "", tree)
	}
	var missing []string
	seen := map[string]bool{}
	eachKey(planSchema(), "", func(path string) {
		key := keyOf(path)
		if seen[key] {
			return
		}
		seen[key] = true
		_, left := unworked[key]
		if used[key] == left {
			missing = append(missing, key)
		}
	})
	slices.Sort(missing)
	if len(missing) > 0 || len(seen) < 250 {
		t.Errorf("of %d keys these are in no example plan, or in one and in unworked: %s", len(seen), strings.Join(missing, ", "))
	}
	for key := range unworked { //lint:order each by itself
		if !seen[key] {
			t.Errorf("unworked: %s is no key", key)
		}
	}
}

// eachKey calls visit with the path of every key of a schema, without indices of lists.
func eachKey(of *jsonschema.Schema, path string, visit func(path string)) {
	for key, one := range of.Properties { //lint:order visitors do not mind it
		at := strings.TrimPrefix(path+"."+key, ".")
		visit(at)
		eachKey(one, at, visit)
	}
	if of.Items != nil {
		eachKey(of.Items, path, visit)
	}
	for _, form := range of.AnyOf {
		eachKey(form, path, visit)
	}
}

// keysUsed adds the keys of a plan to used, with those that it sweeps or searches over.
func keysUsed(used map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, one := range v { //lint:order a set
			at := strings.TrimPrefix(path+"."+key, ".")
			if path == "sweep" || at == "solve.over" {
				for swept := range one.(map[string]any) { //lint:order a set
					addPath(used, pathOf(swept))
				}
			}
			addPath(used, at)
			keysUsed(used, at, one)
		}
	case []any:
		for _, one := range v {
			keysUsed(used, path, one)
		}
	}
}

// addPath adds a path and those above it.
func addPath(used map[string]bool, path string) {
	for at := path; at != ""; {
		used[keyOf(at)] = true
		i := strings.LastIndexByte(at, '.')
		at = at[:max(i, 0)]
	}
}

// pathOf returns a path of a sweep from the root of the plan, without indices.
func pathOf(swept string) string {
	parts := slices.DeleteFunc(strings.Split(plan.RootPath(swept), "."), func(part string) bool {
		_, err := strconv.Atoi(part)
		return err == nil
	})
	return strings.Join(parts, ".")
}
