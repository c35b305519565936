package gotestee

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// slowPredictions holds the answer times of servers that several threads measure at the same time.
type slowPredictions struct {
	s         *stage
	answersMs []int
	asked     int
}

// profileThreads makes several threads measure servers that take time to answer.
func (c *call) profileThreads() (any, error) {
	client := c.client()
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	c.Env.Clock = caseClock{c.Env.Clock, s.begin}
	servers := &slowPredictions{s: s, answersMs: c.In.Ints("answers")}
	load := clients.PredictLoad{
		ModelName: c.In.Str("model_name"), Signature: clients.DefaultTFSClientOptions().Signature,
		Duration: time.Duration(c.In.Integer("repeat_time")) * time.Second,
	}
	for i := range c.In.Count("servers") {
		load.Channels = append(load.Channels, slowPrediction{s: servers, target: fmt.Sprintf("s%d", i)})
	}
	for _, text := range c.In.Strings("data") {
		load.Data = append(load.Data, tensorOf(text))
	}
	c.Life.Go("main thread", func() {
		threads := make([]*clients.ProfileThread, c.In.Count("threads"))
		tasks := make([]env.Task, len(threads))
		for i := range threads {
			threads[i] = client.NewProfileThread(i, load)
			tasks[i] = threading.Start(c.Env.Tasks, "profile", threads[i].Run)
		}
		for i, t := range threads {
			tasks[i].Join()
			latencies := lists.Map(t.LatenciesMs, func(ms float64) any { return ms })
			s.note("measured", []any{i, latencies})
		}
	})
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

// slowPrediction is a channel to one of the slow servers.
type slowPrediction struct {
	env.Channel
	s      *slowPredictions
	target string
}

func (p slowPrediction) Call(_ string, request []byte, timeout time.Duration) ([]byte, error) {
	message := &apis.PredictRequest{}
	if err := proto.Unmarshal(request, message); err != nil {
		return nil, err
	}
	n := p.s.answersMs[p.s.asked%len(p.s.answersMs)]
	p.s.asked++
	data := string(message.GetInputs()["example_batch"].GetStringVal()[0])
	p.s.s.note("asked", []any{p.target, data, int(timeout / time.Second)})
	p.s.s.c.Env.Tasks.Sleep(ms(max(n, -n)))
	p.s.s.note("answered", []any{p.target, data})
	if n < 0 {
		return nil, pysem.Raise("CallError", "no answer")
	}
	return nil, nil
}

// caseClock is a clock that starts at the full second at which every case starts.
type caseClock struct {
	env.Clock
	begin time.Duration
}

func (c caseClock) Now() time.Time {
	return time.Unix(caseworld.EpochSec, 0).Add(c.Elapsed() - c.begin)
}
