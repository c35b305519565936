package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Fake returns the state machine of profile python-fake; nil for other profiles.
func (s *Server) Fake() *fake.Fake { return s.fake }

// fakeHost implements fake.Host by the Server that contains the fake.
type fakeHost Server

func (h *fakeHost) Choose(site string, n int) int { return h.host.Choose(site, n) }

func (h *fakeHost) Publish(model string, version int64, state env.ModelState) {
	(*Server)(h).publish(servable{model, version}, state, nil)
}

func (h *fakeHost) Log(level env.Level, format string, args ...any) {
	h.host.Log(level, format, args...)
}

// startFake creates the fake's models from a config or a name (TFS-17.1 item 24) and opens the port
// at once (TFS-17.1 item 22). If the config file does not parse, the reference raises an exception.
func (s *Server) startFake() {
	o := s.options
	switch {
	case o.InitialConfig != nil:
		s.openFake(*o.InitialConfig)
	case s.configFile != "":
		look(s, s.readConfigFile, func(file configFile) {
			if file.err != nil {
				s.exit(1, "")
				return
			}
			s.openFake(file.config)
		})
	default:
		s.openFake(modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{{
			Name: o.ModelName, BasePath: o.ModelBasePath,
			Policy: modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: uint32(o.FakeNumVersions)},
		}}})
	}
}

func (s *Server) openFake(config modelconfig.ServerConfig) {
	s.fake.Open(config)
	s.open()
}
