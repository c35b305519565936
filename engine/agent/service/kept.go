package service

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
)

// seen identifies the state that an answer of HeartBeat was made from. Equal values mean equal
// answers.
type seen struct {
	changes      uint64
	idc, cluster pysem.OptString
}

// repeats is a [ServiceAnswers] that can tell cheaply whether the answer of HeartBeat would be the
// same as the last one. For a thousand replicas, making the answer costs a hundred times as much as
// this check.
type repeats interface {
	heartBeatSeen() seen
}

// keptAnswer is an answer of HeartBeat, with the state that it was made from.
type keptAnswer struct {
	seen    seen
	message *agentservice.HeartBeatResponse
	data    []byte
	// logged is the text of the message in the log, "" until it is logged for the first time.
	logged string
}

// heartBeatSeen returns the state that an answer depends on: the number of changes of the watcher's
// mirror, and the agent's location, which matters if dc_aware is set.
func (a AnswersV1) heartBeatSeen() seen {
	conf := a.Watcher.Conf()
	return seen{a.Watcher.Changes(), conf.IDC(), conf.Cluster()}
}

// heartBeat answers a HeartBeat, with the last answer if nothing has changed since.
//
// Cost: a call grows with the replicas when they have changed since the last one, otherwise only
// with the bytes of the answer.
func (s *AgentService) heartBeat(data []byte) ([]byte, error) {
	answers, ok := s.answers.(repeats)
	if !ok {
		return answer(data, &agentservice.HeartBeatRequest{}, s.answers.HeartBeat)
	}
	request := &agentservice.HeartBeatRequest{}
	if err := proto.Unmarshal(data, request); err != nil {
		return answer(data, request, s.answers.HeartBeat) // decodes again, for the error
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
	// An empty answer is not kept, because the watcher may log two more lines for it, and has to do
	// so each time.
	if err == nil && len(response.GetAddresses()) > 0 {
		s.kept[request.GetServerType()] = &keptAnswer{seen: now, message: response, data: encoded}
	}
	return encoded, err
}

// logKept logs an answer as [AnswersV1.HeartBeat] does.
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
