package clustermanager

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/quirks"
)

// Goal: the chief's file passes the reference's own test (cluster_manager_test.py).
func TestUpstreamClusterManager_testBasic(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Clock = envtest.Clock{}
	file, ps := PSFile(Job{ModelDir: "m", UUID: "testBasic"}), []string{"0.0.0.0:0", "0.0.0.0:1", "0.0.0.0:2"}
	if err := savePS(e.Files, file, ps); err != nil {
		t.Fatal(err)
	}
	if got, err := psFromFile(e, quirks.Python, file, fileTimeout); err != nil || !slices.Equal(got, ps) {
		t.Errorf("got %v %v, want %v", got, err, ps)
	}
}
