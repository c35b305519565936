package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The types of this file are the payloads of znodes (data_def.py). Make them
// with their Default function, which sets the reference's defaults; a literal leaves
// Go's zero values. Serialize gives the exact bytes of the reference.

// ModelMeta asks for a model: the payload of /<bzid>/portal/<model>.
type ModelMeta struct {
	ModelName    OptString
	ModelDir     OptString
	Ckpt         OptString
	NumShard     int // -1 when unset
	Action       string
	SpecReplicas []int

	odd *oddValues
}

var modelMetaClass = dataClass[ModelMeta]{
	defaults: DefaultModelMeta,
	odd:      func(m *ModelMeta) **oddValues { return &m.odd },
	fields: []classField[ModelMeta]{
		{"model_name", func(m *ModelMeta) any { return &m.ModelName }},
		{"model_dir", func(m *ModelMeta) any { return &m.ModelDir }},
		{"ckpt", func(m *ModelMeta) any { return &m.Ckpt }},
		{"num_shard", func(m *ModelMeta) any { return &m.NumShard }},
		{"action", func(m *ModelMeta) any { return &m.Action }},
		{"spec_replicas", func(m *ModelMeta) any { return &m.SpecReplicas }},
	},
}

// DefaultModelMeta has the reference's defaults.
func DefaultModelMeta() ModelMeta {
	return ModelMeta{NumShard: -1, Action: "NONE", SpecReplicas: []int{}}
}

// ParseModelMeta reads what [ModelMeta.Serialize] writes.
func ParseModelMeta(data []byte) (ModelMeta, error) { return modelMetaClass.decodeValue(data) }

// Serialize is the JSON form.
func (m *ModelMeta) Serialize() []byte { return modelMetaClass.appendJSON(nil, m) }

// GetPath is the model's znode below base.
func (m *ModelMeta) GetPath(base string) (string, error) {
	name := modelMetaClass.get(m, "model_name")
	text, ok := name.(string)
	if !ok {
		return "", pysem.Raise("TypeError",
			"join() argument must be str, bytes, or os.PathLike object, not '%s'", pysem.TypeName(name))
	}
	return pysem.JoinStrings(base, text), nil
}

// Set assigns a Python value to the field of that name.
func (m *ModelMeta) Set(name string, value any) error { return modelMetaClass.set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *ModelMeta) Fields() []Field { return modelMetaClass.list(m) }

// Equal is the dataclass's ==.
func (m *ModelMeta) Equal(other *ModelMeta) bool { return modelMetaClass.equal(m, other) }

// ResourceSpec is what a container offers: the payload of
// /<bzid>/resource/<shard>:<replica>.
type ResourceSpec struct {
	Address   OptString // host:port
	ShardID   OptInt
	ReplicaID OptInt
	Memory    OptInt  // bytes
	CPU       float64 // -1 when unknown, as Network and WorkLoad
	Network   float64
	WorkLoad  float64

	odd *oddValues
}

var resourceSpecClass = dataClass[ResourceSpec]{
	defaults: DefaultResourceSpec,
	odd:      func(m *ResourceSpec) **oddValues { return &m.odd },
	fields: []classField[ResourceSpec]{
		{"address", func(m *ResourceSpec) any { return &m.Address }},
		{"shard_id", func(m *ResourceSpec) any { return &m.ShardID }},
		{"replica_id", func(m *ResourceSpec) any { return &m.ReplicaID }},
		{"memory", func(m *ResourceSpec) any { return &m.Memory }},
		{"cpu", func(m *ResourceSpec) any { return &m.CPU }},
		{"network", func(m *ResourceSpec) any { return &m.Network }},
		{"work_load", func(m *ResourceSpec) any { return &m.WorkLoad }},
	},
}

// DefaultResourceSpec has the reference's defaults.
func DefaultResourceSpec() ResourceSpec { return ResourceSpec{CPU: -1, Network: -1, WorkLoad: -1} }

// ParseResourceSpec reads what [ResourceSpec.Serialize] writes.
func ParseResourceSpec(data []byte) (ResourceSpec, error) {
	return resourceSpecClass.decodeValue(data)
}

// Serialize is the JSON form.
func (m *ResourceSpec) Serialize() []byte { return resourceSpecClass.appendJSON(nil, m) }

// GetPath is the container's znode below base; unset ids read "None" (Q76).
func (m *ResourceSpec) GetPath(base string) string {
	return pysem.JoinStrings(base, pysem.Str(resourceSpecClass.get(m, "shard_id"))+":"+
		pysem.Str(resourceSpecClass.get(m, "replica_id")))
}

// Set assigns a Python value to the field of that name.
func (m *ResourceSpec) Set(name string, value any) error {
	return resourceSpecClass.set(m, name, value)
}

// Fields lists all fields with their Python values.
func (m *ResourceSpec) Fields() []Field { return resourceSpecClass.list(m) }

// Equal is the dataclass's ==.
func (m *ResourceSpec) Equal(other *ResourceSpec) bool { return resourceSpecClass.equal(m, other) }

// PublishMeta tells a container what to load: the payload of
// /<bzid>/publish/<shard>:<replica>:<model>.
type PublishMeta struct {
	ShardID         OptInt
	ReplicaID       int // -1 for all replicas
	ModelName       OptString
	NumPS           OptInt
	TotalPublishNum int
	SubModels       SubModels
	PType           PublishType
	IsSpec          bool

	odd *oddValues
}

var publishMetaClass = dataClass[PublishMeta]{
	defaults: DefaultPublishMeta,
	odd:      func(m *PublishMeta) **oddValues { return &m.odd },
	fields: []classField[PublishMeta]{
		{"shard_id", func(m *PublishMeta) any { return &m.ShardID }},
		{"replica_id", func(m *PublishMeta) any { return &m.ReplicaID }},
		{"model_name", func(m *PublishMeta) any { return &m.ModelName }},
		{"num_ps", func(m *PublishMeta) any { return &m.NumPS }},
		{"total_publish_num", func(m *PublishMeta) any { return &m.TotalPublishNum }},
		{"sub_models", func(m *PublishMeta) any { return &m.SubModels }},
		{"ptype", func(m *PublishMeta) any { return &m.PType }},
		{"is_spec", func(m *PublishMeta) any { return &m.IsSpec }},
	},
}

// DefaultPublishMeta has the reference's defaults.
func DefaultPublishMeta() PublishMeta {
	return PublishMeta{ReplicaID: -1, TotalPublishNum: 1, PType: PublishLoad}
}

// ParsePublishMeta reads what [PublishMeta.Serialize] writes.
func ParsePublishMeta(data []byte) (PublishMeta, error) { return publishMetaClass.decodeValue(data) }

// Serialize is the JSON form.
func (m *PublishMeta) Serialize() []byte { return publishMetaClass.appendJSON(nil, m) }

// GetPath is the publish znode below base; unset fields read "None" (Q76).
func (m *PublishMeta) GetPath(base string) string {
	return pysem.JoinStrings(base, pysem.Str(publishMetaClass.get(m, "shard_id"))+":"+
		pysem.Str(publishMetaClass.get(m, "replica_id"))+":"+pysem.Str(publishMetaClass.get(m, "model_name")))
}

// Set assigns a Python value to the field of that name.
func (m *PublishMeta) Set(name string, value any) error { return publishMetaClass.set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *PublishMeta) Fields() []Field { return publishMetaClass.list(m) }

// Equal is the dataclass's ==.
func (m *PublishMeta) Equal(other *PublishMeta) bool { return publishMetaClass.equal(m, other) }

// ReplicaMeta is one serving replica: the payload of
// /<bzid>/service/<model>/<server type>:<task>/<replica>.
type ReplicaMeta struct {
	Address           OptString // host:port
	AddressIPv6       OptString // [host]:port
	Stat              env.ModelState
	ModelName         OptString
	ServerType        OptString
	Task              int // -1 when unset
	Replica           int // -1 when unset
	ArchonAddress     OptString
	ArchonAddressIPv6 OptString

	odd *oddValues
}

var replicaMetaClass = dataClass[ReplicaMeta]{
	defaults: DefaultReplicaMeta,
	odd:      func(m *ReplicaMeta) **oddValues { return &m.odd },
	fields: []classField[ReplicaMeta]{
		{"address", func(m *ReplicaMeta) any { return &m.Address }},
		{"address_ipv6", func(m *ReplicaMeta) any { return &m.AddressIPv6 }},
		{"stat", func(m *ReplicaMeta) any { return &m.Stat }},
		{"model_name", func(m *ReplicaMeta) any { return &m.ModelName }},
		{"server_type", func(m *ReplicaMeta) any { return &m.ServerType }},
		{"task", func(m *ReplicaMeta) any { return &m.Task }},
		{"replica", func(m *ReplicaMeta) any { return &m.Replica }},
		{"archon_address", func(m *ReplicaMeta) any { return &m.ArchonAddress }},
		{"archon_address_ipv6", func(m *ReplicaMeta) any { return &m.ArchonAddressIPv6 }},
	},
}

// DefaultReplicaMeta has the reference's defaults.
func DefaultReplicaMeta() ReplicaMeta { return ReplicaMeta{Task: -1, Replica: -1} }

// ParseReplicaMeta reads what [ReplicaMeta.Serialize] writes.
func ParseReplicaMeta(data []byte) (ReplicaMeta, error) { return replicaMetaClass.decodeValue(data) }

// replicaMetaSizeBytes is a usual size of the JSON form, to allocate once.
const replicaMetaSizeBytes = 288

// Serialize is the JSON form.
//
// Speed: the whole record, about 300 bytes, for each change of a state.
func (m *ReplicaMeta) Serialize() []byte {
	return replicaMetaClass.appendJSON(make([]byte, 0, replicaMetaSizeBytes), m)
}

// GetPath is the replica's znode; without a model name it is a TypeError.
func (m *ReplicaMeta) GetPath(bzid, sep string) (string, error) {
	name := replicaMetaClass.get(m, "model_name")
	text, ok := name.(string)
	if !ok {
		return "", pysem.Raise("TypeError", "sequence item 3: expected str instance, %s found", pysem.TypeName(name))
	}
	serverType := pysem.Str(replicaMetaClass.get(m, "server_type"))
	task := pysem.Str(replicaMetaClass.get(m, "task"))
	replica := pysem.Str(replicaMetaClass.get(m, "replica"))
	return strings.Join([]string{"", bzid, "service", text, serverType + ":" + task, replica}, sep), nil
}

// The address families (native_training/net_utils.py).
const (
	FamilyIPv4 = "ipv4"
	FamilyIPv6 = "ipv6"
)

// GetAddress is the address to dial: that of the family, or the other one where
// it is missing. Wildcard addresses count as missing. Another family than the
// two is an AssertionError.
func (m *ReplicaMeta) GetAddress(useArchon bool, family string) (OptString, error) {
	if family != FamilyIPv4 && family != FamilyIPv6 {
		return OptString{}, &pysem.Error{Type: "AssertionError"}
	}
	v4, v6 := "address", "address_ipv6"
	if useArchon {
		v4, v6 = "archon_address", "archon_address_ipv6"
	}
	first, err := m.usableAddress(v4, "0.0.0.0")
	if err != nil {
		return OptString{}, err
	}
	second, err := m.usableAddress(v6, "[::]")
	if err != nil {
		return OptString{}, err
	}
	if family == FamilyIPv6 {
		first, second = second, first
	}
	if first.Or("") != "" {
		return first, nil
	}
	return second, nil
}

func (m *ReplicaMeta) usableAddress(field, wildcard string) (OptString, error) {
	switch v := replicaMetaClass.get(m, field).(type) {
	case nil:
		return OptString{}, nil
	case string:
		return OptString{V: v, Set: !strings.HasPrefix(v, wildcard)}, nil
	default:
		return OptString{}, pysem.AttributeError(v, "startswith")
	}
}

// Set assigns a Python value to the field of that name.
func (m *ReplicaMeta) Set(name string, value any) error { return replicaMetaClass.set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *ReplicaMeta) Fields() []Field { return replicaMetaClass.list(m) }

// Equal is the dataclass's ==.
func (m *ReplicaMeta) Equal(other *ReplicaMeta) bool { return replicaMetaClass.equal(m, other) }
