package agent

// The types of this file are the values of backends.py:36-81. All of them are
// frozen there and compare with == here.

// SavedModel names one graph of a model. What the reference leaves unset reads
// "None" there.
type SavedModel struct{ ModelName, SubGraph string }

func (m SavedModel) String() string { return m.ModelName + ":" + m.SubGraph }

// Container is the place where a model is served.
type Container struct{ Cluster, ID string }

func (c Container) String() string { return c.Cluster + ":" + c.ID }

// SavedModelDeployConfig says how a saved model is to be loaded.
type SavedModelDeployConfig struct {
	ModelBasePath OptString
	VersionPolicy OptString

	odd *oddValues
}

var deployConfigClass = dataClass[SavedModelDeployConfig]{
	defaults: func() SavedModelDeployConfig { return SavedModelDeployConfig{} },
	odd:      func(m *SavedModelDeployConfig) **oddValues { return &m.odd },
	fields: []classField[SavedModelDeployConfig]{
		{"model_base_path", func(m *SavedModelDeployConfig) any { return &m.ModelBasePath }},
		{"version_policy", func(m *SavedModelDeployConfig) any { return &m.VersionPolicy }},
	},
}

// ParseSavedModelDeployConfig reads what
// [SavedModelDeployConfig.Serialize] writes.
func ParseSavedModelDeployConfig(data []byte) (SavedModelDeployConfig, error) {
	return deployConfigClass.decodeValue(data)
}

// Serialize is the JSON form.
func (m *SavedModelDeployConfig) Serialize() []byte { return deployConfigClass.appendJSON(nil, m) }

// Set assigns a Python value to the field of that name.
func (m *SavedModelDeployConfig) Set(name string, value any) error {
	return deployConfigClass.set(m, name, value)
}

// Fields lists all fields with their Python values.
func (m *SavedModelDeployConfig) Fields() []Field { return deployConfigClass.list(m) }

// Equal is the dataclass's ==.
func (m *SavedModelDeployConfig) Equal(other *SavedModelDeployConfig) bool {
	return deployConfigClass.equal(m, other)
}

// ContainerServiceInfo says where a container's services listen.
type ContainerServiceInfo struct {
	GRPC      OptString // ip:port, as HTTP, Archon and Agent
	HTTP      OptString
	Archon    OptString
	Agent     OptString
	IDC       OptString
	DebugInfo OptString

	odd *oddValues
}

var serviceInfoClass = dataClass[ContainerServiceInfo]{
	defaults: func() ContainerServiceInfo { return ContainerServiceInfo{} },
	odd:      func(m *ContainerServiceInfo) **oddValues { return &m.odd },
	fields: []classField[ContainerServiceInfo]{
		{"grpc", func(m *ContainerServiceInfo) any { return &m.GRPC }},
		{"http", func(m *ContainerServiceInfo) any { return &m.HTTP }},
		{"archon", func(m *ContainerServiceInfo) any { return &m.Archon }},
		{"agent", func(m *ContainerServiceInfo) any { return &m.Agent }},
		{"idc", func(m *ContainerServiceInfo) any { return &m.IDC }},
		{"debug_info", func(m *ContainerServiceInfo) any { return &m.DebugInfo }},
	},
}

// ParseContainerServiceInfo reads what [ContainerServiceInfo.Serialize]
// writes.
func ParseContainerServiceInfo(data []byte) (ContainerServiceInfo, error) {
	return serviceInfoClass.decodeValue(data)
}

// Serialize is the JSON form.
func (m *ContainerServiceInfo) Serialize() []byte { return serviceInfoClass.appendJSON(nil, m) }

// Set assigns a Python value to the field of that name.
func (m *ContainerServiceInfo) Set(name string, value any) error {
	return serviceInfoClass.set(m, name, value)
}

// Fields lists all fields with their Python values.
func (m *ContainerServiceInfo) Fields() []Field { return serviceInfoClass.list(m) }

// Equal is the dataclass's ==.
func (m *ContainerServiceInfo) Equal(other *ContainerServiceInfo) bool {
	return serviceInfoClass.equal(m, other)
}
