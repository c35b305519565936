// Package agenttest has helpers for the tests of the agents' packages. The simulated world of these
// tests is sim/world/worldtest.
//
// Two things to use first:
//
//   - [Config] makes a configuration from names and values of its fields.
//   - [ModelServer] stands for all model servers of a container.
//
// [ReplicaData] returns the znode of a registered replica; [BothWays] shows a quirk and its repair.
//
// Unstable: any commit may change it.
package agenttest

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
)

// BothWays runs the test of a quirk as two subtests: with all quirks kept, and with this quirk
// repaired.
func BothWays(t *testing.T, quirk quirks.Quirk, test func(t *testing.T, keep quirks.Set)) {
	t.Helper()
	t.Run("kept", func(t *testing.T) { test(t, quirks.Python) })
	t.Run("repaired", func(t *testing.T) { test(t, quirks.Python.Repair(quirk)) })
}

// Config makes a configuration from pairs of a field's name in agent.conf and a value, such as
// "num_ps", 2. If a name occurs twice, its last value counts. Other fields have their defaults. An
// error ends the test.
func Config(t testing.TB, e *env.Env, pairs ...any) *agentconfig.AgentConfig {
	t.Helper()
	fields := lists.MapOrNil(pysem.DictOf(pairs...).Items, func(a pysem.Item) dataclass.Field { return dataclass.Field{Name: a.Key, Value: a.Value} })
	conf, err := agentconfig.NewConfig(e, fields...)
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

// ReplicaData returns the znode data of a replica in the given state. The replica serves gRPC and
// archon at addr (host:port), and at [fd00::1]:1 over IPv6.
func ReplicaData(addr string, state env.ModelState) []byte {
	m := datadef.DefaultReplicaMeta()
	m.Address, m.AddressIPv6, m.Stat = pysem.Some(addr), pysem.Some("[fd00::1]:1"), state
	m.ArchonAddress, m.ArchonAddressIPv6 = pysem.Some(addr), pysem.Some("[fd00::1]:1")
	return m.Serialize()
}

// ModelServer is a fake that answers every status call at once, for any address and model, and
// every reload with OK. It implements env.ModelServers and env.ModelServer.
type ModelServer struct {
	// Versions and Err are what Status returns.
	Versions []env.ModelVersionStatus
	Err      error
	// OnlyPort, if set, is the port of the only server that can be reached. Calls to other ports
	// fail with UNAVAILABLE.
	OnlyPort string
}

// NewModelServer makes a fake server on which every model has version 1 in the given state.
func NewModelServer(state env.ModelState) *ModelServer {
	return &ModelServer{Versions: []env.ModelVersionStatus{{Version: 1, State: state}}}
}

// Dial returns the server at host:port.
func (s *ModelServer) Dial(addr string) env.ModelServer {
	if s.OnlyPort != "" && !strings.HasSuffix(addr, ":"+s.OnlyPort) {
		return &ModelServer{Err: &env.RPCError{Code: rpcerrors.Unavailable, Message: "failed to connect"}}
	}
	return s
}

// Status returns Versions and Err.
func (s *ModelServer) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return s.Versions, s.Err
}

// Reload returns OK and changes nothing.
func (s *ModelServer) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

// Close does nothing.
func (s *ModelServer) Close() {}
