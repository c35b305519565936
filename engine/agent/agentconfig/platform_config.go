package agentconfig

import (
	"cmp"
	"math"

	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	servables "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
)

// defaultParallelism is the number of threads if neither the configuration nor MY_CPU_LIMIT sets a
// number (utils.py:492-497).
const defaultParallelism = 16

// writePlatformConfigFile writes the session settings of the model server to a file
// (utils.py:487-528). If anything fails, it logs the error and removes the file (Q164).
func (c *AgentConfig) writePlatformConfigFile() {
	path := c.PlatformConfigFile.V
	text, err := c.PlatformConfigText()
	if n, isNumber := configClass.Get(c, "platform_config_file").(int); err == nil && isNumber && n < 0 {
		logf(c.env, env.Info, "negative file descriptor")
		return
	}
	if err == nil {
		err = c.env.Files.WriteFile(path, []byte(text))
	}
	if err == nil {
		return
	}
	logf(c.env, env.Info, "%s", pylog.Text(err))
	if info, statErr := c.env.Files.Stat(path); statErr == nil && !info.Dir {
		if err := c.env.Files.Remove(path); err != nil {
			logf(c.env, env.Info, "%s", pylog.Text(err))
		}
	}
}

// PlatformConfigText returns the content of the platform config file: a PlatformConfigMap in text
// format. A ValueError is returned for a MY_CPU_LIMIT that is not a number, and for more threads
// than 32 bits hold.
func (c *AgentConfig) PlatformConfigText() (string, error) {
	message, err := c.platformConfig()
	if err != nil {
		return "", err
	}
	return textpb.Marshal(message)
}

func (c *AgentConfig) platformConfig() (*config.PlatformConfigMap, error) {
	intra, err := c.parallelism(c.TensorflowIntraOpParallelism)
	if err != nil {
		return nil, err
	}
	inter, err := c.parallelism(c.TensorflowInterOpParallelism)
	if err != nil {
		return nil, err
	}
	bundle := &servables.SessionBundleConfig{
		SessionConfig: &tfcore.ConfigProto{
			IntraOpParallelismThreads: intra,
			InterOpParallelismThreads: inter,
			AllowSoftPlacement:        true,
			GpuOptions:                &tfcore.GPUOptions{AllowGrowth: c.AllowGrowth},
		},
		EnableModelWarmup: c.EnableModelWarmup,
	}
	if c.DenseAlone && c.EnableBatching {
		bundle.BatchingParameters = &servables.BatchingParameters{
			MaxBatchSize:             wrapperspb.Int64(1024),
			BatchTimeoutMicros:       wrapperspb.Int64(800),
			MaxEnqueuedBatches:       wrapperspb.Int64(100_000),
			NumBatchThreads:          wrapperspb.Int64(8),
			SupportDiffDimSizeInputs: true,
		}
	}
	adapter, err := anypb.New(&servables.SavedModelBundleSourceAdapterConfig{LegacyConfig: bundle})
	if err != nil {
		return nil, err
	}
	return &config.PlatformConfigMap{PlatformConfigs: map[string]*config.PlatformConfig{
		"tensorflow": {SourceAdapterConfig: adapter},
	}}, nil
}

// parallelism returns the number of threads. It is the parameter threads, which comes from the
// configuration. If threads is 0, the number is MY_CPU_LIMIT, or else the default.
func (c *AgentConfig) parallelism(threads int) (int32, error) {
	if threads == 0 {
		limit, err := c.envInt("MY_CPU_LIMIT", 0)
		if err != nil {
			return 0, err
		}
		threads = limit
	}
	threads = cmp.Or(threads, defaultParallelism)
	if threads < math.MinInt32 || threads > math.MaxInt32 {
		return 0, pysem.Raise("ValueError", "Value out of range: %d", threads)
	}
	return int32(threads), nil
}
