package scope

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// decode decodes a register from YAML into list. name is its file name for errors. An unknown key
// is an error.
func decode(name string, text []byte, list any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(list); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
