package modelexport_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	modelexportpb "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/training/modelexport"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: reading and writing the state file passes the reference's own test
// (export_state_utils_test.py).
func TestUpstreamExportStateUtils_test_basic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		state := &modelexportpb.ServingModelState{Entries: []*modelexportpb.ServingEntry{{ExportDir: proto.String("a"), GlobalStep: proto.Int64(1)}}}
		c.Must(modelexport.OverwriteExportSaverListenerState(c.Env.Files, "basic", state))
		got, err := modelexport.ExportSaverListenerState(c.Env.Files, "basic")
		if err != nil || !proto.Equal(got, state) {
			t.Errorf("got %v %v, want %v", got, err, state)
		}
	})
}
