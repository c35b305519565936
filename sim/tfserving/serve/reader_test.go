package serve

import (
	"fmt"
	"sync"
	"testing"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: requests on many threads always succeed while versions are replaced, and each answer is
// from one version only. Each version reaches its END, for which all its requests must have ended
// (TFS-2.3 item 3).
func TestRequestsWhileVersionsComeAndGo(t *testing.T) {
	const versions, clients = 8, 4
	l := newLab(t)
	l.export("m", 1, halves)
	l.serve(tfserving.Profile24, func(o *Options) { o.Machine.Cost.UnloadJitter = 0 })
	l.must(l.reloadError(reloadOf(l.modelConfig("m", ""))))
	over := make(chan struct{})
	var asking sync.WaitGroup
	for range clients {
		asking.Go(func() { l.predictUntil(over) })
	}
	for v := 2; v <= versions; v++ {
		l.export("m", v, halves)
		l.await(fmt.Sprintf("m:%d END", v-1))
	}
	close(over)
	asking.Wait()
}

func (l *lab) predictUntil(over <-chan struct{}) {
	last := int64(0)
	for {
		select {
		case <-over:
			return
		default:
		}
		inference, err := l.s.reader.Begin(predictX("m"))
		if err != nil {
			l.Errorf("after version %d: %v", last, err)
			return
		}
		response, err := inference.Run()
		inference.End()
		if err != nil {
			l.Errorf("after version %d: %v", last, err)
			return
		}
		version := response.(*apis.PredictResponse).GetModelSpec().GetVersion().GetValue()
		if version < last {
			l.Errorf("version %d answered after version %d", version, last)
			return
		}
		last = version
	}
}
