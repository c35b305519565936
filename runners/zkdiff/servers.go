package zkdiff

import (
	"time"

	"github.com/monosim/monosim/runners/realrun/zkserver"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Config is that of a simulated server which is compared with a real one.
func Config(profile zookeeper.Profile) zookeeper.Config {
	return zookeeper.Config{Profile: profile, SuperDigest: SuperDigest, ExtendedTypes: true, ContainerCheckIntervalMs: never.Milliseconds()}
}

// RealConfig is that of the real server. Nothing may change by itself.
func RealConfig() zkserver.Config {
	return zkserver.Config{SuperDigest: SuperDigest, ContainerCheck: never}
}

// never is longer than any comparison.
const never = 24 * time.Hour

// Simulated are the simulated server behind a port of the loopback, and the state
// machine of another one, of a version. end closes them.
func Simulated(profile zookeeper.Profile) (servers []Server, end func() error, err error) {
	served, err := ServeMachine(profile)
	if err != nil {
		return nil, nil, err
	}
	return []Server{TCP{"simulated over TCP", served.Addr()}, NewMachine(Config(profile))}, served.Close, nil
}

// ServeMachine puts a simulated server behind a free port of the loopback.
func ServeMachine(profile zookeeper.Profile) (*wire.Server, error) {
	return wire.Listen("127.0.0.1:0", wire.Options{Config: Config(profile), Limits: wire.Limits{ConnsPerAddr: -1}})
}
