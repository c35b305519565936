package datadef

import (
	"bytes"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/dict"
)

// The types in this file port the classes of backends.py:36-81. Frozen classes become comparable
// types.

// SavedModel names one sub-graph of a model. In the reference a part that is not set becomes
// "None".
type SavedModel struct{ ModelName, SubGraph string }

// String returns "model:graph".
func (m SavedModel) String() string { return m.ModelName + ":" + m.SubGraph }

// Container identifies a container by its cluster and its id.
type Container struct{ Cluster, ID string }

// String returns "cluster:id".
func (c Container) String() string { return c.Cluster + ":" + c.ID }

// SavedModelDeployConfig says how to load a saved model.
type SavedModelDeployConfig struct {
	ModelBasePath pysem.OptString `py:"model_base_path"`
	VersionPolicy pysem.OptString `py:"version_policy"`

	odd *dataclass.OddValues
}

var deployConfigClass = dataclass.Of(func(m *SavedModelDeployConfig) **dataclass.OddValues { return &m.odd })

// ParseSavedModelDeployConfig parses the JSON of [SavedModelDeployConfig.Serialize].
func ParseSavedModelDeployConfig(data []byte) (SavedModelDeployConfig, error) {
	return deployConfigClass.DecodeValue(data)
}

// Serialize returns the JSON form.
func (m *SavedModelDeployConfig) Serialize() []byte { return deployConfigClass.AppendJSON(nil, m) }

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *SavedModelDeployConfig) Set(name string, value any) error {
	return deployConfigClass.Set(m, name, value)
}

// Fields lists all fields with their Python values.
func (m *SavedModelDeployConfig) Fields() []dataclass.Field { return deployConfigClass.List(m) }

// Repr is Python's repr of the dataclass.
func (m *SavedModelDeployConfig) Repr() string { return deployConfigClass.Repr(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *SavedModelDeployConfig) Equal(other *SavedModelDeployConfig) bool {
	return deployConfigClass.Equal(m, other)
}

// ContainerServiceInfo holds the addresses at which a container's services listen. Agents of
// version 3 publish it in ZooKeeper.
type ContainerServiceInfo struct {
	GRPC      pysem.OptString `py:"grpc"` // ip:port; so are HTTP, Archon and Agent
	HTTP      pysem.OptString `py:"http"`
	Archon    pysem.OptString `py:"archon"`
	Agent     pysem.OptString `py:"agent"`
	IDC       pysem.OptString `py:"idc"`
	DebugInfo pysem.OptString `py:"debug_info"`

	odd *dataclass.OddValues
}

var serviceInfoClass = dataclass.Of(func(m *ContainerServiceInfo) **dataclass.OddValues { return &m.odd })

// Address returns the address for gRPC or for archon, which can be any value of JSON.
func (m *ContainerServiceInfo) Address(grpc bool) any {
	addr, field := m.Archon, "archon"
	if grpc {
		addr, field = m.GRPC, "grpc"
	}
	if m.odd == nil && addr.Set {
		return addr.V
	}
	return serviceInfoClass.Get(m, field)
}

// Odd reports whether a field has a Python value that its Go type cannot represent.
func (m *ContainerServiceInfo) Odd() bool { return m.odd != nil }

// ParseContainerServiceInfo parses the JSON of [ContainerServiceInfo.Serialize].
func ParseContainerServiceInfo(data []byte) (ContainerServiceInfo, error) {
	return serviceInfoClass.DecodeValue(data)
}

var serviceInfos = dict.Readings[*ContainerServiceInfo]{Decode: serviceInfoClass.Decode}

// ReadContainerServiceInfo parses as ParseContainerServiceInfo does, but each distinct content only
// once. Many processes share the returned value, so do not change it.
func ReadContainerServiceInfo(data []byte) (*ContainerServiceInfo, error) {
	return serviceInfos.Read(data)
}

// Serialize returns the JSON form.
func (m *ContainerServiceInfo) Serialize() []byte {
	// A container keeps this slice for its whole life, so a copy without spare capacity is
	// returned.
	return bytes.Clone(serviceInfoClass.AppendJSON(make([]byte, 0, serviceInfoSizeBytes), m))
}

// serviceInfoSizeBytes is more than the JSON usually has, so that it is built in one allocation.
const serviceInfoSizeBytes = 1024

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *ContainerServiceInfo) Set(name string, v any) error { return serviceInfoClass.Set(m, name, v) }

// Fields lists all fields with their Python values.
func (m *ContainerServiceInfo) Fields() []dataclass.Field { return serviceInfoClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *ContainerServiceInfo) Equal(other *ContainerServiceInfo) bool {
	return serviceInfoClass.Equal(m, other)
}
