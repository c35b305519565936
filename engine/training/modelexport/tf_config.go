package modelexport

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
)

// tfConfig is the variable that tells TensorFlow's estimators of their cluster.
const tfConfig = "TF_CONFIG"

// WithoutTFConfig exports in the environment of a process that belongs to no cluster, as each
// exporter does (saved_model_exporters.py:555, :644): TF_CONFIG is taken away meanwhile. An empty
// one does not come back, unless Q311 is repaired.
func WithoutTFConfig(host env.Host, kept quirks.Set, export func() error) error {
	saved, there := host.LookupEnv(tfConfig)
	host.Unsetenv(tfConfig)
	err := export()
	if saved != "" || there && !kept.Keeps(quirks.Q311) {
		host.Setenv(tfConfig, saved)
	}
	return err
}
