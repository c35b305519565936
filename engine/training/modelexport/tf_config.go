package modelexport

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// tfConfig is the variable that tells TensorFlow's estimators about their cluster.
const tfConfig = "TF_CONFIG"

// WithoutTFConfig runs an export with TF_CONFIG unset, as each exporter does, so that TensorFlow
// sees no cluster (saved_model_exporters.py:555, :644). Then it sets the variable again. An empty
// TF_CONFIG is not restored, unless Q311 is repaired.
//
// Cost: it does not grow: one variable is read and set.
func WithoutTFConfig(host env.Host, kept jobquirks.Set, export func() error) error {
	saved, there := host.LookupEnv(tfConfig)
	host.Unsetenv(tfConfig)
	err := export()
	if saved != "" || there && !kept.Keeps(jobquirks.Q311) {
		host.Setenv(tfConfig, saved)
	}
	return err
}
