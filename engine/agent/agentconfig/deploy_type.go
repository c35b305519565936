package agentconfig

import (
	"github.com/monosim/monosim/engine/pysem"
)

// DeployType says which model servers a container runs (utils.py:79-117).
type DeployType string

// The deploy types. MIXED runs PS and entry, and dense where dense_alone says so.
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

// NewDeployType reads a deploy type in any case; others are an AssertionError.
func NewDeployType(word string) (DeployType, error) {
	lower := DeployType(pysem.Lower(word))
	for _, t := range deployTypes {
		if t == lower {
			return t, nil
		}
	}
	return "", &pysem.Error{Type: "AssertionError"}
}

// LoadPython returns the word, or None for the zero value. It makes the type a
// dataclass.Cell.
func (t *DeployType) LoadPython() any {
	if *t == "" {
		return nil
	}
	return string(*t)
}

// StorePython takes a word, or None.
func (t *DeployType) StorePython(value any) (exact bool) {
	word, ok := value.(string)
	*t = DeployType(word)
	return ok || value == nil
}

// CompatServerType returns the server type to use for a request of serverType: a
// container that is not mixed has one only, and None or mixed asks for it
// (utils.py:95-117). To ask a mixed container for None or mixed is a RuntimeError, to ask
// another one for a type that it does not have an AssertionError.
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
