// Package datadef has the records that agents keep in znodes (data_def.py): what a replica, a
// published model, a container and its services report, and their JSON form, byte for byte as
// dataclasses_json writes it.
//
// Two things to use first:
//
//   - [ReplicaMeta] is what a replica of agent v1 registers, [ContainerServiceInfo] what a
//     container of agent v3 registers; each has a Parse function and Serialize.
//   - [PublishMeta] is what a publisher asks the agents of version 2 to load.
//
// To change:
//
//   - a field: give the struct a line with its tags (see package dataclass)
//   - events and enums: event.go
//   - saved models and containers: saved_model.go
//
// Unstable: any commit may change it.
package datadef

import (
	"strings"
	"unique"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/dict"
)

// The types in this file are contents of znodes (data_def.py). Make values with the Default
// functions, which set the reference's defaults; a Go literal has zero values. Serialize returns
// exactly the reference's bytes. Errors of parsing are *pysem.Error with Python's type.

// ModelMeta is a request to load a model: the content of the znode /<bzid>/portal/<model>.
type ModelMeta struct {
	ModelName    pysem.OptString `py:"model_name"`
	ModelDir     pysem.OptString `py:"model_dir"`
	Ckpt         pysem.OptString `py:"ckpt"`
	NumShard     int             `py:"num_shard" default:"-1"` // -1 when unset
	Action       string          `py:"action" default:"'NONE'"`
	SpecReplicas []int           `py:"spec_replicas" default:"[]"`

	odd *dataclass.OddValues
}

var modelMetaClass = dataclass.Of(func(m *ModelMeta) **dataclass.OddValues { return &m.odd })

// DefaultModelMeta returns a ModelMeta with the reference's defaults.
func DefaultModelMeta() ModelMeta { return modelMetaClass.New() }

// ParseModelMeta parses the JSON of [ModelMeta.Serialize].
func ParseModelMeta(data []byte) (ModelMeta, error) { return modelMetaClass.DecodeValue(data) }

// Serialize returns the JSON form.
func (m *ModelMeta) Serialize() []byte { return modelMetaClass.AppendJSON(nil, m) }

// GetPath returns the path of the model's znode below base. A model name that is not a string is a
// TypeError.
func (m *ModelMeta) GetPath(base string) (string, error) {
	name := modelMetaClass.Get(m, "model_name")
	text, ok := name.(string)
	if !ok {
		return "", pysem.Raise("TypeError",
			"join() argument must be str, bytes, or os.PathLike object, not '%s'", pysem.TypeName(name))
	}
	return pysem.JoinStrings(base, text), nil
}

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *ModelMeta) Set(name string, value any) error { return modelMetaClass.Set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *ModelMeta) Fields() []dataclass.Field { return modelMetaClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *ModelMeta) Equal(other *ModelMeta) bool { return modelMetaClass.Equal(m, other) }

// ResourceSpec says what a container offers: the content of the znode
// /<bzid>/resource/<shard>:<replica>.
type ResourceSpec struct {
	Address   pysem.OptString `py:"address"` // host:port
	ShardID   pysem.OptInt    `py:"shard_id"`
	ReplicaID pysem.OptInt    `py:"replica_id"`
	Memory    pysem.OptInt    `py:"memory"`             // bytes
	CPU       float64         `py:"cpu" default:"-1.0"` // -1 when unknown; likewise Network and WorkLoad
	Network   float64         `py:"network" default:"-1.0"`
	WorkLoad  float64         `py:"work_load" default:"-1.0"`

	odd *dataclass.OddValues
}

// ResourceSpecClass describes the fields of [ResourceSpec]. ZKMirror decodes znodes with it.
var ResourceSpecClass = dataclass.Of(func(m *ResourceSpec) **dataclass.OddValues { return &m.odd })

// DefaultResourceSpec returns a ResourceSpec with the reference's defaults.
func DefaultResourceSpec() ResourceSpec { return ResourceSpecClass.New() }

// ParseResourceSpec parses the JSON of [ResourceSpec.Serialize].
func ParseResourceSpec(data []byte) (ResourceSpec, error) {
	return ResourceSpecClass.DecodeValue(data)
}

// Serialize returns the JSON form.
func (m *ResourceSpec) Serialize() []byte { return ResourceSpecClass.AppendJSON(nil, m) }

// GetPath returns the path of the container's znode below base. An id that is not set becomes
// "None" (Q76).
func (m *ResourceSpec) GetPath(base string) string {
	return pysem.JoinStrings(base, pysem.Str(ResourceSpecClass.Get(m, "shard_id"))+":"+
		pysem.Str(ResourceSpecClass.Get(m, "replica_id")))
}

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *ResourceSpec) Set(name string, value any) error {
	return ResourceSpecClass.Set(m, name, value)
}

// Fields lists all fields with their Python values.
func (m *ResourceSpec) Fields() []dataclass.Field { return ResourceSpecClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *ResourceSpec) Equal(other *ResourceSpec) bool { return ResourceSpecClass.Equal(m, other) }

// PublishMeta tells a container what to load: the content of the znode
// /<bzid>/publish/<shard>:<replica>:<model>.
type PublishMeta struct {
	ShardID         pysem.OptInt    `py:"shard_id"`
	ReplicaID       int             `py:"replica_id" default:"-1"` // -1 for all replicas
	ModelName       pysem.OptString `py:"model_name"`
	NumPS           pysem.OptInt    `py:"num_ps"`
	TotalPublishNum int             `py:"total_publish_num" default:"1"`
	SubModels       SubModels       `py:"sub_models"`
	PType           PublishType     `py:"ptype" default:"1"` // LOAD
	IsSpec          bool            `py:"is_spec"`

	odd *dataclass.OddValues
}

// PublishMetaClass describes the fields of [PublishMeta]. ZKMirror decodes znodes with it.
var PublishMetaClass = dataclass.Of(func(m *PublishMeta) **dataclass.OddValues { return &m.odd })

// DefaultPublishMeta returns a PublishMeta with the reference's defaults.
func DefaultPublishMeta() PublishMeta { return PublishMetaClass.New() }

// ParsePublishMeta parses the JSON of [PublishMeta.Serialize].
func ParsePublishMeta(data []byte) (PublishMeta, error) { return PublishMetaClass.DecodeValue(data) }

// Serialize returns the JSON form.
func (m *PublishMeta) Serialize() []byte { return PublishMetaClass.AppendJSON(nil, m) }

// GetPath returns the path of the publish znode below base. A field that is not set becomes "None"
// (Q76).
func (m *PublishMeta) GetPath(base string) string {
	return pysem.JoinStrings(base, pysem.Str(PublishMetaClass.Get(m, "shard_id"))+":"+
		pysem.Str(PublishMetaClass.Get(m, "replica_id"))+":"+pysem.Str(PublishMetaClass.Get(m, "model_name")))
}

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *PublishMeta) Set(name string, value any) error { return PublishMetaClass.Set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *PublishMeta) Fields() []dataclass.Field { return PublishMetaClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *PublishMeta) Equal(other *PublishMeta) bool { return PublishMetaClass.Equal(m, other) }

// ReplicaMeta describes a serving replica: the content of the znode
// /<bzid>/service/<model>/<server type>:<task>/<replica>.
type ReplicaMeta struct {
	Address           pysem.OptString `py:"address"`      // host:port
	AddressIPv6       pysem.OptString `py:"address_ipv6"` // [host]:port
	Stat              env.ModelState  `py:"stat"`
	ModelName         pysem.OptString `py:"model_name"`
	ServerType        pysem.OptString `py:"server_type"`
	Task              int             `py:"task" default:"-1"`    // -1 when unset
	Replica           int             `py:"replica" default:"-1"` // -1 when unset
	ArchonAddress     pysem.OptString `py:"archon_address"`
	ArchonAddressIPv6 pysem.OptString `py:"archon_address_ipv6"`

	odd *dataclass.OddValues
}

// ReplicaMetaClass describes the fields of [ReplicaMeta]. ZKMirror and clients decode znodes with
// it.
var ReplicaMetaClass = dataclass.Of(func(m *ReplicaMeta) **dataclass.OddValues { return &m.odd })

// DefaultReplicaMeta returns a ReplicaMeta with the reference's defaults.
func DefaultReplicaMeta() ReplicaMeta { return ReplicaMetaClass.New() }

// ParseReplicaMeta parses the JSON of [ReplicaMeta.Serialize].
func ParseReplicaMeta(data []byte) (ReplicaMeta, error) { return ReplicaMetaClass.DecodeValue(data) }

var replicaMetas = dict.Readings[unique.Handle[ReplicaMeta]]{Decode: func(data []byte) (h unique.Handle[ReplicaMeta], err error) {
	m, err := ParseReplicaMeta(data)
	if err == nil {
		h = unique.Make(m)
	}
	return h, err
}}

// ReadReplicaMeta parses as ParseReplicaMeta does, but each distinct content only once. Equal
// replicas share one handle, so that a cluster of agents stores each replica once.
func ReadReplicaMeta(data []byte) (unique.Handle[ReplicaMeta], error) { return replicaMetas.Read(data) }

// replicaMetaSizeBytes is enough for the usual JSON, so that it is built in one allocation.
const replicaMetaSizeBytes = 288

// Serialize returns the JSON form.
//
// Cost: the JSON grows with the texts of the record, to about 300 bytes. Each change of a state
// writes it as a whole.
func (m *ReplicaMeta) Serialize() []byte {
	return ReplicaMetaClass.AppendJSON(make([]byte, 0, replicaMetaSizeBytes), m)
}

// GetPath returns the path of the replica's znode, with sep between its names. A model name that is
// not a string is a TypeError.
func (m *ReplicaMeta) GetPath(bzid, sep string) (string, error) {
	name := ReplicaMetaClass.Get(m, "model_name")
	text, ok := name.(string)
	if !ok {
		return "", pysem.Raise("TypeError", "sequence item 3: expected str instance, %s found", pysem.TypeName(name))
	}
	serverType := pysem.Str(ReplicaMetaClass.Get(m, "server_type"))
	task := pysem.Str(ReplicaMetaClass.Get(m, "task"))
	replica := pysem.Str(ReplicaMetaClass.Get(m, "replica"))
	return strings.Join([]string{"", bzid, "service", text, serverType + ":" + task, replica}, sep), nil
}

// The address families (native_training/net_utils.py).
const (
	FamilyIPv4 = "ipv4"
	FamilyIPv6 = "ipv6"
)

// GetAddress returns the replica's address of the given family, or of the other family if that is
// missing. Wildcard addresses such as 0.0.0.0 count as missing. An unknown family is an
// AssertionError.
func (m *ReplicaMeta) GetAddress(useArchon bool, family string) (pysem.OptString, error) {
	if family != FamilyIPv4 && family != FamilyIPv6 {
		return pysem.OptString{}, &pysem.Error{Type: "AssertionError"}
	}
	first, second, err := m.usableAddresses(useArchon)
	if err != nil {
		return pysem.OptString{}, err
	}
	if family == FamilyIPv6 {
		first, second = second, first
	}
	if first.Or("") != "" {
		return first, nil
	}
	return second, nil
}

const anyIPv4, anyIPv6 = "0.0.0.0", "[::]"

// usableAddresses returns the IPv4 and the IPv6 address. An address that is missing is None.
func (m *ReplicaMeta) usableAddresses(useArchon bool) (v4, v6 pysem.OptString, err error) {
	if m.odd == nil {
		if useArchon {
			return usable(m.ArchonAddress, anyIPv4), usable(m.ArchonAddressIPv6, anyIPv6), nil
		}
		return usable(m.Address, anyIPv4), usable(m.AddressIPv6, anyIPv6), nil
	}
	names := [2]string{"address", "address_ipv6"}
	if useArchon {
		names = [2]string{"archon_address", "archon_address_ipv6"}
	}
	odd := *m // this copy escapes to the heap, so that m itself can stay on the stack
	if v4, err = odd.usableAddress(names[0], anyIPv4); err == nil {
		v6, err = odd.usableAddress(names[1], anyIPv6)
	}
	return v4, v6, err
}

func usable(address pysem.OptString, wildcard string) pysem.OptString {
	if !address.Set {
		return pysem.OptString{}
	}
	return pysem.OptString{V: address.V, Set: !strings.HasPrefix(address.V, wildcard)}
}

// usableAddress returns the address in a field, which may hold a Python value of any type.
func (m *ReplicaMeta) usableAddress(field, wildcard string) (pysem.OptString, error) {
	switch v := ReplicaMetaClass.Get(m, field).(type) {
	case nil:
		return pysem.OptString{}, nil
	case string:
		return usable(pysem.Some(v), wildcard), nil
	default:
		return pysem.OptString{}, pysem.AttributeError(v, "startswith")
	}
}

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *ReplicaMeta) Set(name string, value any) error { return ReplicaMetaClass.Set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *ReplicaMeta) Fields() []dataclass.Field { return ReplicaMetaClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *ReplicaMeta) Equal(other *ReplicaMeta) bool { return ReplicaMetaClass.Equal(m, other) }
