package scope

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// decode reads one of the registers; an unknown key is an error.
func decode(name string, text []byte, list any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(list); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
