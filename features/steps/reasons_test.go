package steps_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

const tagged = `# not-python: nothing of it is Python's
@not-python
Feature: f

  Scenario: Everywhere but there
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info

  # not-real: an empty
  # line of comment may follow
  @v3
  @not-real
  Scenario: In the simulation alone
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
`

// named is the simulation under another name.
type named struct {
	simrun.Runner
	name string
}

func (n *named) Name() string { return n.name }

func reasonsSuite(name, text string) *steps.Suite {
	return &steps.Suite{Runner: &named{name: name}, FS: fstest.MapFS{"f.feature": {Data: []byte(text)}}, Paths: []string{"."}}
}

// Goal: a runner gets no scenario whose tags exclude it.
func TestScenariosRunWhereTheirTagsLetThem(t *testing.T) {
	for name, want := range map[string][]string{
		"sim":  {"Everywhere but there", "In the simulation alone"},
		"real": {"Everywhere but there"},
	} {
		list, err := reasonsSuite(name, tagged).List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, sc := range list {
			got = append(got, sc.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	list, err := reasonsSuite("sim", tagged).List()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"python": "nothing of it is Python's", "real": "an empty", "agent": "an empty", "tensorflow": "an empty"} // agent is left out where either is
	if diff := cmp.Diff(want, list[1].Not); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	_, err = reasonsSuite("python", tagged).List()
	if want := "found no scenario that runs on python: nothing of it is Python's"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want an error with %q, got %v", want, err)
	}
}

// Goal: no tag excludes a runner without a reason.
func TestATagWithoutAReasonIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"none":              {"  # not-real: an empty\n", "", "f.feature:12: found @not-real without a reason, want one above it: # not-real: why"},
		"one too far away":  {"  # not-real: an empty\n", "  # not-real: an empty\n\n", "f.feature:14: found @not-real without a reason"},
		"of another runner": {"# not-python: nothing", "# not-real: nothing", "f.feature:2: found @not-python without a reason"},
		"no tag":            {"  @not-real\n", "", "f.feature:10: found why something does not run on real, want the tag @not-real in the line below"},
	} {
		text := strings.Replace(tagged, c.from, c.to, 1)
		_, err := reasonsSuite("sim", text).List()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: want an error with %q, got %v", name, c.says, err)
		}
	}
}

var _ runners.Runner = (*named)(nil)
