package datadef

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: an agent can read what another agent writes. Any object must survive Serialize and Parse.
// That the bytes equal the reference's is checked by the recorded cases.

func genOptString() *rapid.Generator[pysem.OptString] {
	return rapid.Custom(func(t *rapid.T) pysem.OptString {
		if rapid.Bool().Draw(t, "none") {
			return pysem.OptString{}
		}
		return pysem.Some(rapid.String().Draw(t, "text"))
	})
}

func genOptInt() *rapid.Generator[pysem.OptInt] {
	return rapid.Custom(func(t *rapid.T) pysem.OptInt {
		if rapid.Bool().Draw(t, "none") {
			return pysem.OptInt{}
		}
		return pysem.Some(rapid.Int().Draw(t, "number"))
	})
}

func genReplicaMeta(t *rapid.T) ReplicaMeta {
	text := genOptString()
	return ReplicaMeta{
		Address: text.Draw(t, "address"), AddressIPv6: text.Draw(t, "address_ipv6"),
		Stat:      env.ModelState(rapid.Int32().Draw(t, "stat")),
		ModelName: text.Draw(t, "model_name"), ServerType: text.Draw(t, "server_type"),
		Task: rapid.Int().Draw(t, "task"), Replica: rapid.Int().Draw(t, "replica"),
		ArchonAddress: text.Draw(t, "archon_address"), ArchonAddressIPv6: text.Draw(t, "archon_address_ipv6"),
	}
}

func genPublishMeta(t *rapid.T) PublishMeta {
	m := PublishMeta{
		ShardID: genOptInt().Draw(t, "shard_id"), ReplicaID: rapid.Int().Draw(t, "replica_id"),
		ModelName: genOptString().Draw(t, "model_name"), NumPS: genOptInt().Draw(t, "num_ps"),
		TotalPublishNum: rapid.Int().Draw(t, "total_publish_num"),
		PType:           PublishType(rapid.IntRange(1, 2).Draw(t, "ptype")), IsSpec: rapid.Bool().Draw(t, "is_spec"),
	}
	for _, name := range rapid.SliceOf(rapid.String()).Draw(t, "sub_models") {
		m.SubModels = m.SubModels.With(name, rapid.String().Draw(t, "path"))
	}
	return m
}

func TestReplicaMetaSurvivesSerializing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := genReplicaMeta(t)
		got, err := ParseReplicaMeta(m.Serialize())
		if err != nil {
			t.Fatal(err)
		}
		if got != m {
			t.Fatalf("got %+v, want %+v", got, m)
		}
	})
}

func TestPublishMetaSurvivesSerializing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := genPublishMeta(t)
		got, err := ParsePublishMeta(m.Serialize())
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(&m) || cmp.Diff(m.Serialize(), got.Serialize()) != "" {
			t.Fatalf("got %s, want %s", got.Serialize(), m.Serialize())
		}
	})
}

func TestModelMetaAndResourceSpecSurviveSerializing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := DefaultModelMeta()
		m.ModelName, m.NumShard = genOptString().Draw(t, "model_name"), rapid.Int().Draw(t, "num_shard")
		m.SpecReplicas = append(m.SpecReplicas, rapid.SliceOf(rapid.Int()).Draw(t, "spec_replicas")...)
		r := DefaultResourceSpec()
		r.Memory, r.CPU = genOptInt().Draw(t, "memory"), rapid.Float64().Draw(t, "cpu")
		gotModel, err := ParseModelMeta(m.Serialize())
		if err != nil {
			t.Fatal(err)
		}
		gotSpec, err := ParseResourceSpec(r.Serialize())
		if err != nil {
			t.Fatal(err)
		}
		if !gotModel.Equal(&m) || !gotSpec.Equal(&r) {
			t.Fatalf("got %s and %s, want %s and %s", gotModel.Serialize(), gotSpec.Serialize(), m.Serialize(), r.Serialize())
		}
	})
}

func TestNoInputMakesParsingPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"{", "}", "[", "]", ":", ", ", `"task"`, `"stat"`, `"address"`, "1", "-0.5", "1e400", "null", "NaN",
			`"\ud83d"`, `"é"`, "{}", `{"task": `, "\x00", "\xff"}
		data := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "data"), ""))
		if m, err := ParseReplicaMeta(data); err == nil {
			again, err := ParseReplicaMeta(m.Serialize())
			if err != nil || !again.Equal(&m) {
				t.Fatalf("%q: parsed once, then %v", data, err)
			}
		}
	})
}

func TestChangedFieldReplacesAnOddValue(t *testing.T) {
	m, err := ParseReplicaMeta([]byte(`{"task": "seven"}`))
	if err != nil {
		t.Fatal(err)
	}
	m.Task = 7
	if got := ReplicaMetaClass.Get(&m, "task"); got != 7 {
		t.Errorf("task is %v, want 7", got)
	}
}

func TestReplicaMetaSerializesWithOneAllocation(t *testing.T) {
	m := benchmarkMeta()
	if n := testing.AllocsPerRun(100, func() { m.Serialize() }); n > 1 {
		t.Errorf("Serialize allocates %v times, want 1", n)
	}
}

func benchmarkMeta() *ReplicaMeta {
	m := DefaultReplicaMeta()
	m.Address, m.AddressIPv6 = pysem.Some("10.1.2.3:1003"), pysem.Some("[fd00::1]:1003")
	m.ArchonAddress, m.ArchonAddressIPv6 = pysem.Some("10.1.2.3:1000"), pysem.Some("[fd00::1]:1000")
	m.Stat, m.ModelName, m.ServerType, m.Task, m.Replica = env.StateAvailable, pysem.Some("ctr"), pysem.Some("ps"), 3, 1
	return &m
}

func BenchmarkReplicaMetaSerialize(b *testing.B) {
	m := benchmarkMeta()
	b.ReportAllocs()
	for b.Loop() {
		m.Serialize()
	}
}

func BenchmarkReplicaMetaParse(b *testing.B) {
	data := benchmarkMeta().Serialize()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseReplicaMeta(data); err != nil {
			b.Fatal(err)
		}
	}
}
