package datadef

import (
	"bytes"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/dict"
)

// The types of this file are the values of backends.py:36-81. They are frozen there, so here they
// are comparable.

// SavedModel names one graph of a model. Parts that are not set read "None" in the reference.
type SavedModel struct{ ModelName, SubGraph string }

// String returns "model:graph".
func (m SavedModel) String() string { return m.ModelName + ":" + m.SubGraph }

// Container is the place where a model is served.
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

// ContainerServiceInfo holds the addresses on which a container's services listen. Agents of
// version 3 register it.
type ContainerServiceInfo struct {
	GRPC      pysem.OptString `py:"grpc"` // ip:port, as HTTP, Archon and Agent
	HTTP      pysem.OptString `py:"http"`
	Archon    pysem.OptString `py:"archon"`
	Agent     pysem.OptString `py:"agent"`
	IDC       pysem.OptString `py:"idc"`
	DebugInfo pysem.OptString `py:"debug_info"`

	odd *dataclass.OddValues
}

var serviceInfoClass = dataclass.Of(func(m *ContainerServiceInfo) **dataclass.OddValues { return &m.odd })

// Odd reports whether a field holds a Python value that its Go type cannot hold.
func (m *ContainerServiceInfo) Odd() bool { return m.odd != nil }

// ParseContainerServiceInfo parses the JSON of [ContainerServiceInfo.Serialize].
func ParseContainerServiceInfo(data []byte) (ContainerServiceInfo, error) {
	return serviceInfoClass.DecodeValue(data)
}

var serviceInfos = dict.Readings[*ContainerServiceInfo]{Decode: serviceInfoClass.Decode}

// ReadContainerServiceInfo does what ParseContainerServiceInfo does, once for each content. Many
// processes share the record, so do not change it.
func ReadContainerServiceInfo(data []byte) (*ContainerServiceInfo, error) {
	return serviceInfos.Read(data)
}

// Serialize returns the JSON form.
func (m *ContainerServiceInfo) Serialize() []byte {
	// A container keeps this slice for its whole life, so it gets no spare capacity.
	return bytes.Clone(serviceInfoClass.AppendJSON(make([]byte, 0, serviceInfoSizeBytes), m))
}

// serviceInfoSizeBytes is more than the JSON usually needs.
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
