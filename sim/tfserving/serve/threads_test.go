package serve

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: a server with one thread works on one request at a time, and reports how long each request
// waited and was executed. Method: several requests are sent at once. Together they must take at
// least as long as in sequence, and so must the sum of the reported times.
func TestAServerOfOneThreadWorksInLine(t *testing.T) {
	const requests, each = 4, 20 * time.Millisecond
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, func(o *Options) { o.PredictThreads, o.Timings = 1, true })
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	l.must(l.s.Befall(RequestFault{Next: -1, Methods: []string{"Predict"}, Delay: each}))
	client := l.predictions()
	began := time.Now()
	var wait sync.WaitGroup
	var worked [requests]int64
	for i := range requests {
		wait.Go(func() {
			var trailer metadata.MD
			if _, err := client.Predict(l.context(), &apis.PredictRequest{ModelSpec: specOf("m")}, grpc.Trailer(&trailer)); err != nil {
				t.Error(err)
				return
			}
			worked[i] = trailerOf(t, trailer, TrailerWorked)
			if waited := trailerOf(t, trailer, TrailerWaited); waited < 0 {
				t.Errorf("request %d: waited %d ns", i, waited)
			}
		})
	}
	wait.Wait()
	if took := time.Since(began); took < requests*each {
		t.Errorf("%d requests of %v took %v, want one after another", requests, each, took)
	}
	for i, ns := range worked {
		if ns < int64(each) {
			t.Errorf("request %d was worked on for %v, want at least %v", i, time.Duration(ns), each)
		}
	}
}

func trailerOf(t *testing.T, md metadata.MD, key string) int64 {
	t.Helper()
	values := md.Get(key)
	if len(values) != 1 {
		t.Errorf("%s: got %v, want one value", key, values)
		return -1
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// Goal: each item adds time to a Predict, and a running server can be slowed down.
func TestItemsAndSlownessLengthenPredicts(t *testing.T) {
	const base, item, items, slow = 5 * time.Millisecond, time.Millisecond, 20, 4
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, func(o *Options) {
		o.Speed, o.Timings, o.PredictItemTime = 1, true, item
		o.Machine.Cost.PredictTime, o.Machine.Cost.PredictSlowdown = base, 1
	})
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	client := l.predictions()
	worked := func(r *apis.PredictRequest) time.Duration {
		var trailer metadata.MD
		_, err := client.Predict(l.context(), r, grpc.Trailer(&trailer))
		l.must(err)
		return time.Duration(trailerOf(t, trailer, TrailerWorked))
	}
	many := predictX("m")
	many.Inputs["x"].TensorShape.Dim[0].Size = items
	many.Inputs["x"].FloatVal = make([]float32, items)
	if got := worked(many); got < base+items*item {
		t.Errorf("%d items: worked for %v, want %v", items, got, base+items*item)
	}
	l.must(l.s.Slow(slow))
	if got := worked(predictX("m")); got < slow*base {
		t.Errorf("slowed down: worked for %v, want %v", got, slow*base)
	}
	l.s.Heal()
	if got := l.s.Slowness(); got != 1 {
		t.Errorf("healed: %g times as long, want once", got)
	}
}
