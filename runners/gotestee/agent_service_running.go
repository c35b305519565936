package gotestee

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/runners/gotestee/caseworld"
)

// overlappingCalls has clients call a service of version 3 while it answers others.
func (c *call) overlappingCalls() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	addrs, times, asked := modelAddresses(c.In.Object("addrs")), c.In.Ints("answers_ms"), 0
	const port = 7000
	served := service.NewAgentService(c.Env, port, service.AnswersV3{Env: c.Env, Conf: conf, Addrs: func() ([]service.ModelAddresses, error) {
		n := times[asked%len(times)]
		asked++
		s.note("asked", nil)
		c.Env.Tasks.Sleep(ms(n))
		s.note("answered", nil)
		return addrs, nil
	}})
	if err := served.Start(); err != nil {
		return nil, err
	}
	defer served.Stop()
	s.begin = c.Env.Clock.Elapsed()
	for _, e := range c.In.List("events") {
		s.callAt(e, fmt.Sprintf("127.0.0.1:%d", port))
	}
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

// callAt has a client of its own make the call of an event.
func (s *stage) callAt(v any, addr string) {
	const form = "a list of [milliseconds, rpc, fields]"
	fields, ok := v.([]any)
	if !ok || len(fields) != 3 {
		s.c.In.Wrong("events", form)
	}
	at, okAt := fields[0].(int)
	rpc, okRPC := fields[1].(string)
	if !okAt || !okRPC {
		s.c.In.Wrong("events", form)
	}
	request := caseworld.Arguments{Dict: caseworld.Object("fields", fields[2]), Where: "in.events"}.Object("fields")
	s.after(ms(at), rpc, func() {
		channel := s.c.Env.Network.Dial(addr)
		defer channel.Close()
		answer, err := callOver(channel, newRPC(rpc, request))
		if err != nil {
			caseworld.BadCasef("in.events: %s: %v", rpc, err)
		}
		s.note(rpc, answer)
	})
}
