package train

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/runners"
)

// Text returns a plan that [Read] takes as the given job. The plan says what the job says, but for
// settings that have no effect beside the others, since Read refuses these.
func Text(quirks string, job runners.TrainingSpec) ([]byte, error) {
	job.MaxRetries = job.WithDefaults().MaxRetries // Read gives a plan that does not say it the reference's
	said := map[string]any{}
	for field, value := range reflect.ValueOf(job).Fields() {
		if !value.IsZero() {
			said[field.Tag.Get("yaml")] = value.Interface()
		}
	}
	for _, need := range needs {
		if need.has(&job, nil) {
			continue
		}
		for _, key := range need.keys {
			delete(said, key)
		}
	}
	return yaml.Marshal(map[string]any{"quirks": quirks, "job": said})
}
