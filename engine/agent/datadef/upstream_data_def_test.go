package datadef

import (
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Files named upstream_<module>_test.go port the reference's own tests one by one, under their
// names. Tests of pure functions are beside the functions. Tests that need a simulated world are in
// runners/test/simrun, and tests of fakes are beside the fakes.

func TestUpstreamDataDef_test_model_info(t *testing.T) {
	m := DefaultModelMeta()
	m.ModelName, m.NumShard = pysem.Some("monolith"), 3
	m.ModelDir, m.Ckpt = pysem.Some("/tmp/opt"), pysem.Some("model.ckpt-1234")
	got, err := ParseModelMeta(m.Serialize())
	if err != nil || !got.Equal(&m) {
		t.Errorf("got %s, error %v, want %s", got.Serialize(), err, m.Serialize())
	}
	if got.Ckpt != m.Ckpt || got.NumShard != 3 {
		t.Errorf("got checkpoint %v of %d shards, want %v of 3", got.Ckpt, got.NumShard, m.Ckpt)
	}
}

func TestUpstreamDataDef_test_resource(t *testing.T) {
	r := DefaultResourceSpec()
	r.Address, r.ShardID, r.ReplicaID = pysem.Some("localhost:123"), pysem.Some(10), pysem.Some(2)
	r.Memory, r.CPU = pysem.Some(12345), 3.5
	got, err := ParseResourceSpec(r.Serialize())
	if err != nil || !got.Equal(&r) {
		t.Errorf("got %s, error %v, want %s", got.Serialize(), err, r.Serialize())
	}
	if got.Memory != r.Memory || got.CPU != 3.5 {
		t.Errorf("got memory %v and CPU %v, want %v and 3.5", got.Memory, got.CPU, r.Memory)
	}
}

func TestUpstreamDataDef_test_replica_meta(t *testing.T) {
	m := DefaultReplicaMeta()
	m.Address, m.ModelName, m.ServerType = pysem.Some("localhost:123"), pysem.Some("monolith"), pysem.Some("ps")
	m.Task, m.Replica = 0, 0
	got, err := ParseReplicaMeta(m.Serialize())
	if err != nil || got != m {
		t.Errorf("got %s, error %v, want %s", got.Serialize(), err, m.Serialize())
	}
	if got.Stat != env.StateUnknown {
		t.Errorf("state: got %v, want UNKNOWN", got.Stat)
	}
}
