package modelexport

import "github.com/monosim/monosim/engine/env"

// tfConfig is the variable that tells TensorFlow's estimators of their cluster.
const tfConfig = "TF_CONFIG"

// WithoutTFConfig exports in the environment of a process that belongs to no cluster, as each
// exporter does (saved_model_exporters.py:555, :644): TF_CONFIG is taken away meanwhile. An empty
// one does not come back (Q311).
func WithoutTFConfig(host env.Host, export func() error) error {
	saved, _ := host.LookupEnv(tfConfig)
	host.Unsetenv(tfConfig)
	err := export()
	if saved != "" {
		host.Setenv(tfConfig, saved)
	}
	return err
}
