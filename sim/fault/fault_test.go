package fault_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/fault"
)

var kindName = regexp.MustCompile(`^[a-z]+\.[a-z]+(-[a-z]+)*$`)

// Goal: every kind's descriptor is complete and stands in the file named by the first word of its
// name. A fault whose sentence has an end also has an End function.
func TestDescriptors(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range fault.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			if !kindName.MatchString(k.Name) || seen[k.Name] {
				t.Errorf("name: got %q, want a new one as zookeeper.no-leader", k.Name)
			}
			seen[k.Name] = true
			file, _, _ := strings.Cut(k.Name, ".")
			text, err := os.ReadFile(file + ".go")
			if err != nil || !strings.Contains(string(text), strconv.Quote(k.Name)) {
				t.Errorf("file: found no %s in %s.go (%v), want its descriptor there", k.Name, file, err)
			}
			if !strings.HasSuffix(k.Help, ".") {
				t.Errorf("help: got %q, want a sentence", k.Help)
			}
			if k.Begin == nil || k.Lasts == "" && k.Begins == "" {
				t.Error("found no way to begin it")
			}
			if (k.Lasts == "") != (k.Onset == "") {
				t.Errorf("lasts %q, onset %q: want both or none", k.Lasts, k.Onset)
			}
			if ends := k.Lasts != "" || k.Ends != ""; ends != (k.End != nil) {
				t.Errorf("a sentence ends it: %t, a function ends it: %t, want both or none", ends, k.End != nil)
			}
		})
	}
}

func TestFindListsTheKinds(t *testing.T) {
	_, err := fault.Find("zookeeper.up")
	if err == nil || !strings.Contains(err.Error(), `found "zookeeper.up", want one of agent.killed, `) {
		t.Errorf("unknown kind: got %v, want an error with all kinds", err)
	}
	for _, k := range fault.Kinds() {
		if got, err := fault.Find(k.Name); err != nil || got != k {
			t.Errorf("%s: got %v, %v", k.Name, got, err)
		}
	}
}

func TestEndOfWhatIsOverAtOnce(t *testing.T) {
	if err := fault.End(nil, cluster.Fault{Kind: "agent.killed"}); err == nil {
		t.Error("end of agent.killed: got nil, want an error")
	}
}
