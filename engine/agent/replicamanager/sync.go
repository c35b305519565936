package replicamanager

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	parametersync "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	"github.com/monosim/monosim/engine/pysem"
)

// TargetExtraInfo is the message that says where a target of parameter synchronisation
// is: idc, cluster and replica.
type TargetExtraInfo = parametersync.ClientConfig_TargetExtraInfo

// SyncTarget is an address that takes synchronised parameters.
type SyncTarget struct {
	Addr pysem.OptString
	Info *TargetExtraInfo
}

// GetReplicasWithExtraInfo lists the addresses of the AVAILABLE replicas of one task
// with where they are (replica_manager.py:356). An address of several replicas is
// listed once, in its first place with the last one's information. Location and errors
// are as for GetAllReplicas.
func (w *ReplicaWatcher) GetReplicasWithExtraInfo(t agentservice.ServerType, task int, idc, cluster pysem.OptString) ([]SyncTarget, error) {
	targets := pysem.NewOrderedMap[pysem.OptString, *TargetExtraInfo]()
	err := w.tasksOf(t, idc, cluster, func(p agentconfig.ZKPath, replicas *replicaMap) error {
		if ok, err := isNumber(p.Index.V, task); !ok || err != nil {
			return err
		}
		for id, meta := range replicas.all {
			if meta.Stat != env.StateAvailable {
				continue
			}
			addr, err := meta.GetAddress(w.useArchon, w.family)
			if err != nil {
				return err
			}
			info, err := extraInfo(p, id)
			if err != nil {
				return err
			}
			targets.Set(addr, info)
		}
		return nil
	})
	list := make([]SyncTarget, 0, targets.Len())
	for addr, info := range targets.All {
		list = append(list, SyncTarget{addr, info})
	}
	return list, err
}

func extraInfo(p agentconfig.ZKPath, replica string) (*TargetExtraInfo, error) {
	id, err := pysem.ParseInt(replica)
	if err != nil {
		return nil, err
	}
	if !id.IsInt64() {
		return nil, pysem.Raise("ValueError", "Value out of range: %s", id)
	}
	info := &TargetExtraInfo{ReplicaId: proto.Int64(id.Int64())}
	if p.IDC.Set {
		info.Idc = proto.String(p.IDC.V)
	}
	if p.Cluster.Set {
		info.Cluster = proto.String(p.Cluster.V)
	}
	return info, nil
}

// SyncBackendWrapper lets parameter synchronisation find its targets through a replica
// watcher (replica_manager.py:806). A backend of agents v3 is the other way to find
// them.
type SyncBackendWrapper struct{ watcher *ReplicaWatcher }

// ToSyncWrapper makes a wrapper that answers from this watcher.
func (w *ReplicaWatcher) ToSyncWrapper() *SyncBackendWrapper { return &SyncBackendWrapper{watcher: w} }

// Start is the watcher's WatchData.
func (s *SyncBackendWrapper) Start() error { return s.watcher.WatchData() }

// Stop is the watcher's Stop.
func (s *SyncBackendWrapper) Stop() { s.watcher.Stop() }

// SubscribeModel does nothing: a watcher has one model.
func (s *SyncBackendWrapper) SubscribeModel(string) {}

// SyncTargets are the targets of a sub-graph "ps_<task>", of every location; what
// follows a second "_" is ignored. Another server is an AssertionError.
func (s *SyncBackendWrapper) SyncTargets(subGraph string) (name string, targets []SyncTarget, err error) {
	parts := strings.Split(subGraph, "_")
	if len(parts) < 2 {
		return "", nil, pysem.UnpackError(2, 1)
	}
	if parts[0] != agentconfig.ServerPS {
		return "", nil, &pysem.Error{Type: "AssertionError"}
	}
	task, _, err := pysem.ParseSmallInt(parts[1])
	if err != nil {
		return "", nil, err
	}
	targets, err = s.watcher.GetReplicasWithExtraInfo(agentservice.ServerType_PS, task, pysem.OptString{}, pysem.OptString{})
	return subGraph, targets, err
}
