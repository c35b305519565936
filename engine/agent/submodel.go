package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// ParseSubModelName splits the name of a sub-model, as "ps_3", into the server
// type and the number; without a number it is 0 (utils.py:990-1000, where it is
// spelled pasre_sub_model_name).
func ParseSubModelName(name OptString) (serverType string, index int, err error) {
	if name.Or("") == "" {
		return "", 0, pysem.Raise("RuntimeError", "sub_model_name is None or empty")
	}
	parts := strings.Split(pysem.Strip(name.V), "_")
	serverType = pysem.Lower(parts[0])
	switch len(parts) {
	case 1:
		return serverType, 0, nil
	case 2:
		index, _, err = pysem.ParseSmallInt(parts[1])
		return serverType, index, err
	}
	return "", 0, &pysem.Error{Type: "AssertionError"}
}
