package bench

import (
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// These constants name the watched model and its znode.
const (
	bzid     = "bench"
	baseName = "ctr"
	taskPath = "/" + bzid + "/service/" + baseName + "/entry:0"
)

// sessionTimeout is the session timeout of the ZooKeeper client that creates the replicas' znodes.
const sessionTimeout = 10 * time.Second

// serveReplicas serves a ZooKeeper with znodes for the given number of replicas of one entry, all
// AVAILABLE.
func serveReplicas(replicas int) (server *wire.Server, err error) {
	server, err = wire.Listen("127.0.0.1:0", wire.Options{Limits: wire.Limits{ConnsPerAddr: -1}})
	if err != nil {
		return nil, fmt.Errorf("serve ZooKeeper: %w", err)
	}
	if err := makeReplicas(server.Addr(), replicas); err != nil {
		server.Close()
		return nil, fmt.Errorf("make %d replicas: %w", replicas, err)
	}
	return server, nil
}

func makeReplicas(addr string, replicas int) error {
	conn, _, err := zk.Connect([]string{addr}, sessionTimeout, zk.WithLogInfo(false))
	if err != nil {
		return err
	}
	defer conn.Close()
	for i := range taskPath {
		if i > 0 && taskPath[i] == '/' {
			if err := create(conn, taskPath[:i], nil); err != nil {
				return err
			}
		}
	}
	if err := create(conn, taskPath, nil); err != nil {
		return err
	}
	for i := range replicas {
		meta := datadef.DefaultReplicaMeta()
		meta.Address = pysem.Some(fmt.Sprintf("10.%d.%d.%d:8500", i>>16&255, i>>8&255, i&255))
		meta.ModelName, meta.ServerType = pysem.Some(baseName), pysem.Some("entry")
		meta.Task, meta.Replica, meta.Stat = 0, i, env.StateAvailable
		if err := create(conn, fmt.Sprintf("%s/%011d", taskPath, i), meta.Serialize()); err != nil {
			return err
		}
	}
	return nil
}

func create(conn *zk.Conn, path string, data []byte) error {
	_, err := conn.Create(path, data, 0, zk.WorldACL(zk.PermAll))
	return err
}
