package agentconfig

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// ParseSubModelName splits the name of a sub-model, as "ps_3", into the server
// type and the number, an int of any size; without a number it is 0
// (utils.py:990-1000, where it is spelled pasre_sub_model_name). None and the empty name
// are a RuntimeError, more than one underscore an AssertionError, and what is no number a
// ValueError.
func ParseSubModelName(name pysem.OptString) (serverType string, index any, err error) {
	if name.Or("") == "" {
		return "", 0, pysem.Raise("RuntimeError", "sub_model_name is None or empty")
	}
	parts := strings.Split(pysem.Strip(name.V), "_")
	serverType = pysem.Lower(parts[0])
	switch len(parts) {
	case 1:
		return serverType, 0, nil
	case 2:
		n, err := pysem.ParseInt(parts[1])
		if err != nil {
			return "", 0, err
		}
		return serverType, pysem.Int(n), nil
	}
	return "", 0, &pysem.Error{Type: "AssertionError"}
}
