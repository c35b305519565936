package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// legalTransition executes step 2 of a reload: it reports whether the config may replace the stored
// one (TFS-8.2).
func (c *core) legalTransition(config modelconfig.ServerConfig) bool {
	switch {
	case c.config.Kind == modelconfig.EmptyConfig:
		return true
	case c.server.profile == ProfileHead && c.config.SameCustom(config):
		return true
	}
	return c.config.Kind == modelconfig.ModelList && config.Kind == modelconfig.ModelList
}

// validate checks names, paths and platforms: steps 3 to 5 of a reload (TFS-8.2).
func (c *core) validate(config modelconfig.ServerConfig) *env.RPCError {
	names := make(map[string]bool, len(config.Models))
	for _, m := range config.Models {
		if names[m.Name] {
			return statusf(rpcerrors.InvalidArgument, "Illegal to list model %s multiple times in config list", m.Name)
		}
		names[m.Name] = true
	}
	if err := c.validatePaths(config); err != nil {
		return err
	}
	if c.config.Kind != modelconfig.ModelList {
		return nil
	}
	return c.validatePlatforms(config)
}

// validatePaths checks the base paths: step 4 of a reload (TFS-8.2). With a root directory they
// may be relative.
func (c *core) validatePaths(config modelconfig.ServerConfig) *env.RPCError {
	if root := c.server.options.ModelConfigListRootDir; root != nil {
		if modelconfig.IsRelativePath(*root) {
			return statusf(rpcerrors.InvalidArgument,
				"Expected non-empty absolute path or URI; got model_config_list_root_dir=%s", *root)
		}
		return nil
	}
	for _, m := range config.Models {
		if modelconfig.IsRelativePath(m.BasePath) {
			return statusf(rpcerrors.InvalidArgument,
				"Expected model %s to have an absolute path or URI; got base_path()=%s", m.Name, m.BasePath)
		}
	}
	return nil
}

// basePath returns the model's base path. A relative base path is resolved against the root
// directory, if one is configured.
func (c *core) basePath(m modelconfig.ModelConfig) string {
	if root := c.server.options.ModelConfigListRootDir; root != nil && modelconfig.IsRelativePath(m.BasePath) {
		return joinPath(*root, m.BasePath)
	}
	return m.BasePath
}

// validatePlatforms executes step 5 of a reload, the check of the platforms (TFS-8.2). It also
// checks every stored model, so one bad model makes all later reloads fail (TFS-8.4).
func (c *core) validatePlatforms(config modelconfig.ServerConfig) *env.RPCError {
	stored := make(map[string]string, len(c.config.Models))
	for _, m := range c.config.Models {
		platform, err := c.server.platform(m)
		if err != nil {
			return err
		}
		stored[m.Name] = platform
	}
	for _, m := range config.Models {
		was, ok := stored[m.Name]
		if !ok {
			continue
		}
		platform, err := c.server.platform(m)
		if err != nil {
			return err
		}
		if platform != was {
			return statusf(rpcerrors.InvalidArgument,
				"Illegal to change a model's platform. For model %s platform was %s and new platform requested is %s",
				m.Name, was, platform)
		}
	}
	return nil
}

// platform returns the name of a model's platform, as upstream's GetPlatform does
// (model_servers/server_core.cc:655-671). Only tfs-head names the model in its errors.
func (s *Server) platform(m modelconfig.ModelConfig) (string, *env.RPCError) {
	tail := "."
	if s.profile == ProfileHead {
		tail = ", model name is " + m.Name
	}
	switch {
	case m.Type != modelconfig.TypeUnspecified && m.Platform != "":
		return "", statusf(rpcerrors.InvalidArgument,
			"Illegal setting both ModelServerConfig::model_type (deprecated) and ModelServerConfig::model_platform%s", tail)
	case m.Type == modelconfig.TypeTensorFlow:
		return modelconfig.TensorFlowPlatform, nil
	case m.Type != modelconfig.TypeUnspecified:
		return "", statusf(rpcerrors.InvalidArgument, "ModelServerConfig::model_type choice %d not supported.", m.Type)
	case m.Platform == "":
		return "", statusf(rpcerrors.InvalidArgument,
			"Illegal setting neither ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform%s", tail)
	}
	return m.Platform, nil
}
