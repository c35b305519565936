package service

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// seen is what an answer of HeartBeat was made from: two that are equal give the same.
type seen struct {
	changes      uint64
	idc, cluster pysem.OptString
}

// repeats is a [ServiceAnswers] that can tell that an answer of HeartBeat would be the
// last one again. Of a thousand replicas it costs a hundred times what that look does.
type repeats interface {
	heartBeatSeen() seen
}

// keptAnswer is an answer of HeartBeat.
type keptAnswer struct {
	seen    seen
	message *agentservice.HeartBeatResponse
	data    []byte
	// logged is the message as the log has it, "" until a line was written.
	logged string
}

// heartBeatSeen returns what an answer depends on: the mirror and, when dc_aware, the place.
func (a AnswersV1) heartBeatSeen() seen {
	conf := a.Watcher.Conf()
	return seen{a.Watcher.Changes(), conf.IDC(), conf.Cluster()}
}

// heartBeat answers a HeartBeat, by the last answer where that is the same.
//
// Cost: a call grows with the replicas when they have changed since the last one, and
// else with the bytes of the answer only.
func (s *AgentService) heartBeat(data []byte) ([]byte, error) {
	answers, ok := s.answers.(repeats)
	if !ok {
		return answer(data, &agentservice.HeartBeatRequest{}, s.answers.HeartBeat)
	}
	request := &agentservice.HeartBeatRequest{}
	if err := proto.Unmarshal(data, request); err != nil {
		return answer(data, request, s.answers.HeartBeat) // which says so
	}
	now := answers.heartBeatSeen()
	kept := s.kept[request.GetServerType()]
	if kept != nil && kept.seen == now {
		s.logKept(request, kept)
		return kept.data, nil
	}
	delete(s.kept, request.GetServerType())
	var response *agentservice.HeartBeatResponse
	encoded, err := answer(data, request, func(r *agentservice.HeartBeatRequest) (_ *agentservice.HeartBeatResponse, err error) {
		response, err = s.answers.HeartBeat(r)
		return response, err
	})
	// That there are none is told in lines of its own, each time.
	if err == nil && len(response.GetAddresses()) > 0 {
		s.kept[request.GetServerType()] = &keptAnswer{seen: now, message: response, data: encoded}
	}
	return encoded, err
}

// logKept tells of an answer as [AnswersV1.HeartBeat] does.
func (s *AgentService) logKept(request *agentservice.HeartBeatRequest, kept *keptAnswer) {
	if !s.e.Log.Enabled(env.Info) {
		return
	}
	s.e.Log.Logf(env.Info, heartBeatLine, request.GetServerType(), pylog.Later(func() string {
		if kept.logged == "" {
			kept.logged = pylog.Message(kept.message)()
		}
		return kept.logged
	}))
}
