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

// NewDeployType reads a deploy type in upper or lower case. Other words are an AssertionError.
func NewDeployType(word string) (DeployType, error) {
	lower := DeployType(pysem.Lower(word))
	for _, t := range deployTypes {
		if t == lower {
			return t, nil
		}
	}
	return "", &pysem.Error{Type: "AssertionError"}
}

// LoadPython returns the word, or None for the zero value. It makes the type a dataclass.Cell.
func (t *DeployType) LoadPython() any {
	if *t == "" {
		return nil
	}
	return string(*t)
}

// StorePython takes a word or None. exact is false for other values.
func (t *DeployType) StorePython(value any) (exact bool) {
	word, ok := value.(string)
	*t = DeployType(word)
	return ok || value == nil
}

// CompatServerType returns the server type that a request for serverType means (utils.py:95-117). A
// container that is not mixed has only one, which None and mixed also mean. In a mixed container
// None and mixed are a RuntimeError; in another container a type that it does not have is an
// AssertionError.
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
