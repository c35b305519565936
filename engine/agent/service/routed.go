package service

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// Routed answers as the version in its configuration says, even if it was made with the source of
// another version. So does the reference's servicer (agent_service.py:62-117). If Routed lacks the
// source for the configured version, it raises an AttributeError. Agents do not need Routed,
// because their source always matches their version.
type Routed struct {
	Env  *env.Env
	Conf *agentconfig.AgentConfig // nil for version 1
	// V1, V2 and V3 are the sources of answers. Exactly one of them is set.
	V1 *AnswersV1
	V2 *AnswersV2
	V3 *AnswersV3
}

// is reports whether the configuration has version n.
func (a Routed) is(n int) bool {
	if a.Conf == nil {
		return n == 1
	}
	return a.Conf.IsVersion(n)
}

// lacks returns Python's error for reading an attribute that the servicer was not given.
func lacks(attribute string) error {
	return pysem.Raise("AttributeError", "'AgentServiceImpl' object has no attribute '%s'", attribute)
}

// GetReplicas answers as version 1 or 2. Any other version is a NotImplementedError.
func (a Routed) GetReplicas(r *agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	switch {
	case a.is(1) && a.V1 == nil:
		return nil, lacks("_watcher")
	case a.is(1):
		return a.V1.GetReplicas(r)
	case a.is(2) && a.V2 == nil:
		return nil, lacks("_zk")
	case a.is(2):
		return a.V2.GetReplicas(r)
	}
	return AnswersV3{}.GetReplicas(r)
}

// HeartBeat answers as version 1 or 2. For any other version it answers as version 3.
func (a Routed) HeartBeat(r *agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	switch {
	case a.is(1) && a.V1 == nil:
		return nil, lacks("_watcher")
	case a.is(1):
		return a.V1.HeartBeat(r)
	case a.is(2) && a.V2 == nil:
		return nil, lacks("_zk")
	case a.is(2):
		return a.V2.HeartBeat(r)
	case a.V3 == nil:
		return nil, lacks("_data_provider")
	}
	return a.V3.HeartBeat(r)
}

// GetResource returns an empty answer for version 1, and for any other version the same as
// [AnswersV3.GetResource].
func (a Routed) GetResource(r *agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	if a.is(1) {
		return &agentservice.GetResourceResponse{}, nil
	}
	return AnswersV3{Env: a.Env, Conf: a.Conf}.GetResource(r)
}
