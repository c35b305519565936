package service

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// AnswersV2 computes the answers of agents of version 2 from a ZKMirror (agent_service.py:68, :89,
// :105). The entry point never starts such an agent (Q6). By default its look-ups find nothing,
// because they use the number of the server type in place of its name (Q33).
type AnswersV2 struct {
	Env    *env.Env
	Conf   *agentconfig.AgentConfig
	Mirror *zkmirror.ZKMirror
}

// GetReplicas lists the addresses of the AVAILABLE replicas of one task of a model. By default it
// raises an AttributeError, because the number of a server type has no lower() (Q33).
func (a AnswersV2) GetReplicas(r *agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	if a.Conf.Quirks.Keeps(quirks.Q33) {
		return nil, pysem.AttributeError(int(r.GetServerType()), "lower")
	}
	name, err := replicamanager.ServerTypeName(r.GetServerType())
	if err != nil {
		return nil, err
	}
	replicas, err := a.Mirror.GetTaskReplicas(r.GetModelName(), name, int(r.GetTask()))
	if err != nil {
		return nil, err
	}
	list, err := metaAddresses(replicas)
	if err != nil {
		return nil, err
	}
	return &agentservice.GetReplicasResponse{AddressList: list}, nil
}

// HeartBeat lists the addresses of all tasks of a server type by "<model>:<type>:<task>". By
// default the list is empty, because no type in a path equals a number (Q33).
func (a AnswersV2) HeartBeat(r *agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	wanted := func(string) bool { return false }
	if !a.Conf.Quirks.Keeps(quirks.Q33) {
		name, err := replicamanager.ServerTypeName(r.GetServerType())
		if err != nil {
			return nil, err
		}
		wanted = func(serverType string) bool { return serverType == name }
	}
	tasks, err := a.Mirror.AllReplicas(wanted)
	if err != nil {
		return nil, err
	}
	response := &agentservice.HeartBeatResponse{Addresses: map[string]*agentservice.AddressList{}}
	for _, t := range tasks {
		list, err := metaAddresses(t.Replicas)
		if err != nil {
			return nil, err
		}
		response.Addresses[t.Key] = list
	}
	logHeartBeat(a.Env, r, response)
	return response, nil
}

// GetResource returns the same as [AnswersV3.GetResource].
func (a AnswersV2) GetResource(r *agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	return AnswersV3{Env: a.Env, Conf: a.Conf}.GetResource(r)
}

// metaAddresses returns the IPv4 gRPC addresses of replicas. It includes addresses that cannot be
// used.
func metaAddresses(replicas []*datadef.ReplicaMeta) (*agentservice.AddressList, error) {
	return addressList(replicas, func(rm *datadef.ReplicaMeta) any { return rm.Address.Any() })
}
