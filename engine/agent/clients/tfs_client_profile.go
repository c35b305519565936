package clients

import (
	"fmt"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/quirks"
)

const siteProfile = "tfs_client.profile"

// PredictLoad describes a load test: threads that each send one batch after another.
type PredictLoad struct {
	ModelName, Signature string
	// Channels are the servers to call and Data the batches to send. Each call draws one of each at
	// random.
	Channels []env.Channel
	Data     []*framework.TensorProto
	// Duration is how long each thread starts new calls, in whole seconds.
	Duration time.Duration
	Threads  int
}

// Profile summarizes the latencies of a load test. Failed calls do not count.
type Profile struct {
	Count                            int
	AverageMs, P99Ms, CallsPerSecond float64
}

// String returns the profile as the command logs it (tfs_client.py:466).
func (p Profile) String() string {
	number := pysem.FloatRepr
	if p.Count == 0 {
		number = func(float64) string { return "0" }
	}
	return fmt.Sprintf("[Profile] Count: %d, Avg Latency: %s, P99 Latency: %s, QPS: %s",
		p.Count, number(p.AverageMs), number(p.P99Ms), number(p.CallsPerSecond))
}

// Profile runs a load test and waits for its end (tfs_client.py:437-466). It raises a
// ZeroDivisionError if calls were answered but took no time in all.
func (c TFSClient) Profile(l PredictLoad) (Profile, error) {
	begin := unixMs(c.Env.Clock)
	threads := make([]*ProfileThread, max(l.Threads, 0))
	tasks := make([]env.Task, len(threads))
	for i := range threads {
		threads[i] = c.NewProfileThread(i, l)
		tasks[i] = c.Env.Tasks.Go(fmt.Sprintf("profile %d", i), threads[i].Run)
	}
	var all []float64
	for i, t := range threads {
		tasks[i].Join()
		all = append(all, t.LatenciesMs...)
	}
	return summarize(all, unixMs(c.Env.Clock)-begin)
}

// summarize sorts the latencies and computes the profile.
func summarize(latenciesMs []float64, elapsedMs float64) (Profile, error) {
	p := Profile{Count: len(latenciesMs)}
	if p.Count == 0 {
		return p, nil
	}
	sum := 0.0
	for _, ms := range latenciesMs {
		sum += ms
	}
	if elapsedMs == 0 {
		return p, pysem.Raise("ZeroDivisionError", "float division by zero")
	}
	p.AverageMs = sum / float64(p.Count)
	slices.Sort(latenciesMs)
	p.P99Ms = latenciesMs[int(math.RoundToEven(float64(p.Count-1)*0.99))]
	p.CallsPerSecond = float64(p.Count*1000) / elapsedMs
	return p, nil
}

func unixMs(clock env.Clock) float64 { return unixSeconds(clock) * 1000 }

// ProfileThread is one thread of a load test (tfs_client.py:304).
type ProfileThread struct {
	c      TFSClient
	number int
	load   PredictLoad
	// LatenciesMs holds the latency of each answered call in ms, in the order of the calls.
	LatenciesMs []float64
}

// NewProfileThread makes the thread with number n of a load test. Call its Run in a task. Number 0
// logs the progress every minute.
func (c TFSClient) NewProfileThread(n int, l PredictLoad) *ProfileThread {
	return &ProfileThread{c: c, number: n, load: l}
}

// failedCallPause is the least time that a failing call takes. The reference does not pause (Q142).
// But in virtual time a call that sends nothing takes no time, so the thread would never end.
const failedCallPause = time.Millisecond

// Run makes one call after another until the test's duration is over. It logs calls that fail.
func (t *ProfileThread) Run() {
	begin := t.seconds()
	minute := int64(0)
	limit := int64(t.load.Duration / time.Second)
	for now := begin; now-begin < limit; now = t.seconds() {
		if passed := now - begin; t.number == 0 && passed >= 60*minute {
			t.c.Env.Log.Logf(env.Info, "Processing %d. Time: %d/%d(s)", len(t.LatenciesMs), passed, limit)
			minute++
		}
		asked := t.c.Env.Clock.Elapsed()
		if err := t.predict(); err != nil {
			t.c.Env.Log.Logf(env.Info, "Warning! call request failed. %s", pylog.Repr(err))
			if rest := failedCallPause - (t.c.Env.Clock.Elapsed() - asked); rest > 0 {
				t.c.Env.Tasks.Sleep(rest)
			}
		}
	}
}

func (t *ProfileThread) seconds() int64 { return int64(unixSeconds(t.c.Env.Clock)) }

func (t *ProfileThread) predict() error {
	if len(t.load.Data) == 0 || len(t.load.Channels) == 0 {
		return pysem.Raise("ValueError", "empty range for randrange()")
	}
	spec := &apis.ModelSpec{Name: t.load.ModelName, SignatureName: t.load.Signature}
	input := t.load.Data[t.c.between(siteProfile, 0, len(t.load.Data)-1)]
	request := serialize(predictRequest(spec, variantExampleBatch, input))
	begin := unixMs(t.c.Env.Clock)
	channel := t.load.Channels[t.c.between(siteProfile, 0, len(t.load.Channels)-1)]
	data, err := channel.Call(MethodPredict, request, predictTimeout)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(data, &apis.PredictResponse{}); err != nil {
		return err
	}
	t.LatenciesMs = append(t.LatenciesMs, unixMs(t.c.Env.Clock)-begin)
	return nil
}

// profileFiles is the number of data files that the command's profile uses.
const profileFiles = 500

// profile runs a load test with the data files of a directory (tfs_client.py:414-467). If there are
// fewer than 500, it first adds random files. With Q135 repaired it adds none.
func (p *tfsProgram) profile() (*Profile, error) {
	if len(p.ValidSlots) == 0 && p.o.Quirks.Keeps(quirks.Q135) || !p.o.DataDir.Set {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	data, err := p.profileData(p.o.DataDir.V)
	if err != nil {
		return nil, err
	}
	l := PredictLoad{
		Channels: lists.Map(p.targets, p.Env.Network.Dial), ModelName: p.model, Signature: p.o.Signature, Data: data,
		Duration: p.o.Duration, Threads: p.o.Threads,
	}
	defer func() {
		for _, c := range l.Channels {
			c.Close()
		}
	}()
	result, err := p.Profile(l)
	if err != nil {
		return nil, err
	}
	p.Env.Log.Logf(env.Info, "%s", result)
	return &result, nil
}

func (p *tfsProgram) profileData(dir string) ([]*framework.TensorProto, error) {
	if !env.Exists(p.Env.Files, dir) {
		if err := p.Env.Files.MkdirAll(dir); err != nil {
			return nil, pyos.Error(err, dir)
		}
	}
	names, err := pyos.ListDir(p.Env.Files, dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && !p.o.Quirks.Keeps(quirks.Q135) {
		return nil, pysem.Raise("FileNotFoundError", "[Errno 2] No data file in directory: %s", pysem.Repr(dir))
	}
	for len(names) < profileFiles && p.o.Quirks.Keeps(quirks.Q135) {
		name := pysem.Basename(p.Env.Files.TempFile()) + ".pb"
		if err := p.RandomFile(pysem.JoinStrings(dir, name), variantExampleBatch, p.o.BatchSize); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	var data []*framework.TensorProto
	for _, name := range names[:min(len(names), profileFiles)] {
		input, err := p.ExampleBatchProtoV2(pysem.JoinStrings(dir, name), p.o.BatchSize)
		if err != nil {
			return nil, err
		}
		data = append(data, input)
	}
	return data, nil
}
