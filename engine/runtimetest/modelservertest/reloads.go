package modelservertest

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
)

// These are the cases of HandleReloadConfigRequest that end without help (TFS-8.2).
var reloadCases = []testCase{
	{"a reload waits until its models are available", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			r.AddVersion("n", 4)
			c.status(env.ModelSpec{Name: "m"})
			c.reload(list(model{name: "m"}, model{name: "n"}))
			c.status(env.ModelSpec{Name: "m"})
			c.status(env.ModelSpec{Name: "n"})
		})
		r.want("NOT_FOUND: Could not find any versions of model m", "OK", "1 AVAILABLE", "4 AVAILABLE")
	}},

	{"a model that is removed ends and is not forgotten", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			c.reload(list())
			c.awaitStates("m", "1 END")
			c.reload(list(model{name: "m"}))
			c.awaitStates("m", "1 AVAILABLE")
		})
		r.want("OK", "OK", "OK")
	}},

	{"configurations that are refused", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reloadMessage(&config.ModelServerConfig{})
			c.reloadMessage(custom)
			c.reload(list(model{name: "m"}, model{name: "m"}, model{name: "n", base: "relative"}))
			c.reload(list(model{name: "m", base: "relative/path"}))
			c.reload(list(model{name: "m", base: none}))
			c.reload(list(model{name: "m"}))
			c.reload(list(model{name: "m", platform: "other"}))
			c.status(env.ModelSpec{Name: "m"})
		})
		const kind = "INVALID_ARGUMENT: ServerModelConfig type not supported by HandleReloadConfigRequest. " +
			"Only ModelConfigList is currently supported"
		r.want(
			kind, kind,
			"INVALID_ARGUMENT: Illegal to list model m multiple times in config list",
			"INVALID_ARGUMENT: Expected model m to have an absolute path or URI; got base_path()=relative/path",
			"INVALID_ARGUMENT: Expected model m to have an absolute path or URI; got base_path()=",
			"OK",
			"INVALID_ARGUMENT: Illegal to change a model's platform. For model m platform was tensorflow and new platform requested is other",
			"1 AVAILABLE",
		)
	}},

	{"bytes that are no configuration", func(r *trial) {
		r.served(func(c *client) {
			_, err := c.Reload([]byte("\x0a\xff"), patience)
			r.note("%v", codeOf(err)) // only the code is compared, because the text depends on the server's gRPC library
			c.status(env.ModelSpec{Name: "m"})
		})
		r.want("INTERNAL", "NOT_FOUND: Could not find any versions of model m")
	}},

	{"a platform that is missing poisons later reloads", func(r *trial) { // TFS-8.4
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m", platform: none}))
			c.reload(list(model{name: "m"}))
			c.reload(list())
		})
		text := "INVALID_ARGUMENT: Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform" +
			r.either(".", ", model name is m")
		r.want(text, text, text)
	}},

	{"a platform that nobody has is corrected by leaving the model out", func(r *trial) { // TFS-8.4
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m", platform: "other"}))
			c.reload(list(model{name: "m"}))
			c.reload(list())
			c.reload(list(model{name: "m"}))
		})
		r.want(
			"INVALID_ARGUMENT: Model m requests unsupported platform other",
			"INVALID_ARGUMENT: Illegal to change a model's platform. For model m platform was other and new platform requested is tensorflow",
			"OK", "OK",
		)
	}},

	{"labels are for versions that are available", func(r *trial) { // TFS-8.2 step 7
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m", labels: map[string]int64{"stable": 1}}))
			c.reload(list(model{name: "m"}))
			c.reload(list(model{name: "m", labels: map[string]int64{"stable": 1}}))
			c.reload(list(model{name: "m", labels: map[string]int64{"stable": 9}}))
		})
		text := "FAILED_PRECONDITION: Request to assign label to version %d of model m, which is not currently available for inference"
		r.want(fmt.Sprintf(text, 1), "OK", "OK", fmt.Sprintf(text, 9))
	}},

	{"a model that cannot be loaded", func(r *trial) { // TFS-8.3, TFS-8.5
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			r.AddEmpty("broken", 3)
			c.reload(list(model{name: "m"}, model{name: "broken"}))
			c.status(env.ModelSpec{Name: "m"})
			c.reload(list(model{name: "m"}, model{name: "broken"}))
			c.status(env.ModelSpec{Name: "broken"})
			r.AddVersion("broken", 3)
			c.reload(list(model{name: "m"}))
			c.settle()
			c.reload(list(model{name: "m"}, model{name: "broken"}))
			c.status(env.ModelSpec{Name: "broken"})
		})
		r.want(
			"UNKNOWN: 1 model(s) did not become available: {{{name: broken version: 3} due to error: "+
				r.either("Not found: ", "NOT_FOUND: ")+noModel+"/MODELS/broken/3}, }",
			"1 AVAILABLE", "OK", "3 END (NOT_FOUND: "+noModel+"/MODELS/broken/3)",
			"OK", "OK", "3 AVAILABLE",
		)
	}},
}

// reload makes a reload and adds its result to the log.
func (c *client) reload(config func(World) *config.ModelServerConfig) {
	c.reloadMessage(config(c.r.World))
}

func (c *client) reloadMessage(m *config.ModelServerConfig) { c.reloadWithin(m, patience) }

func (c *client) reloadWithin(m *config.ModelServerConfig, timeout time.Duration) {
	status, err := c.Reload(bytes(m), timeout)
	switch {
	case err != nil:
		c.r.note("%s", untailed(err.Error()))
	case status != env.StatusProto{}:
		c.r.note("answered %v: %s", status.Code, status.Message)
	default:
		c.r.note("OK")
	}
}
