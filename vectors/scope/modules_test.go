package scope_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/vectors/scope"
)

func TestEveryPortedModuleNamesWhatPortsIt(t *testing.T) {
	modules, err := scope.Modules()
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) != 38 {
		t.Errorf("got %d modules, want the 38 files of agent_service", len(modules))
	}
	for _, m := range modules {
		ported := m.State == "done" || m.State == "part"
		if ported != (len(m.Go) > 0) {
			t.Errorf("%s %s: state %s with %d Go files", m.ID, m.File, m.State, len(m.Go))
		}
		for _, path := range m.Go {
			if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
				t.Errorf("%s %s: %v", m.ID, m.File, err)
			}
		}
	}
}
