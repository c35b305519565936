package agentconfig

import (
	"github.com/monosim/monosim/engine/pysem"
)

// DeployType names the model servers that a container runs (utils.py:79-117).
type DeployType string

// The deploy types. MIXED runs PS and entry, and also dense where dense_alone is set.
const (
	DeployPS      DeployType = "ps"
	DeployEntry   DeployType = "entry"
	DeployDense   DeployType = "dense"
	DeployMixed   DeployType = "mixed"
	DeployUnified DeployType = "unified"
)

// The server types (utils.py:72-76).
const (
	ServerPS      = "ps"
	ServerEntry   = "entry"
	ServerDense   = "dense"
	ServerUnified = "unified"
)

// deployTypes holds the allowed words, in the order that messages list them.
var deployTypes = []DeployType{DeployEntry, DeployPS, DeployDense, DeployMixed, DeployUnified}

// NewDeployType parses a deploy type in upper or lower case. Any other word is an AssertionError.
func NewDeployType(word string) (DeployType, error) {
	lower := DeployType(pysem.Lower(word))
	for _, t := range deployTypes {
		if t == lower {
			return t, nil
		}
	}
	return "", &pysem.Error{Type: "AssertionError"}
}

// LoadPython returns the word, or nil (None) for the zero value. LoadPython and StorePython make a
// pointer to a deploy type a dataclass.Cell.
func (t *DeployType) LoadPython() any {
	if *t == "" {
		return nil
	}
	return string(*t)
}

// StorePython sets the deploy type from a word or None. It returns false for a value of another
// type.
func (t *DeployType) StorePython(value any) (exact bool) {
	word, ok := value.(string)
	*t = DeployType(word)
	return ok || value == nil
}

// CompatServerType returns the server type to use for a requested serverType (utils.py:95-117). A
// container that is not mixed has a single type. There None and mixed stand for this type, and any
// other type is an AssertionError. In a mixed container None and mixed are a RuntimeError.
func (t DeployType) CompatServerType(serverType pysem.OptString) (string, error) {
	switch {
	case !serverType.Set || serverType.V == string(DeployMixed):
		if t == DeployMixed {
			return "", &pysem.Error{Type: "RuntimeError", Message: "DeployType and ServerType is not compatable!"}
		}
		return string(t), nil
	case t == DeployMixed || serverType.V == string(t):
		return serverType.V, nil
	}
	return "", &pysem.Error{Type: "AssertionError"}
}
