package agentconfig

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// ParseSubModelName splits a sub-model's name such as "ps_3" into server type and number
// (utils.py:990-1000, spelled pasre_sub_model_name there). The number is an int of any size, 0 if
// it is missing. None and the empty name are a RuntimeError. More than one underscore is an
// AssertionError, and an index that is not a number a ValueError.
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
