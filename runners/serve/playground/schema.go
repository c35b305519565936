package playground

import (
	"reflect"

	"github.com/monosim/monosim/runners/show/jsonschema"
)

// Schema returns the JSON schema of description files. Editors use it to check them.
func Schema() []byte {
	s := jsonschema.Of(reflect.TypeFor[file](), nil)
	scalar := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{jsonschema.Text(), jsonschema.Number(), jsonschema.Boolean()}}
	s.Properties["env"].Additional = scalar
	return s.Document("monosim cluster")
}
