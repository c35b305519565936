package serve

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// inFlight starts a request that takes delay. The returned channel receives the request's error
// when it ends.
func inFlight(l *lab, delay time.Duration) <-chan error {
	l.version("m", 1)
	l.serve(tfserving.Profile24, nil)
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	l.must(l.s.Befall(RequestFault{Next: 1, Methods: []string{"Predict"}, Delay: delay}))
	client, answered := l.predictions(), make(chan error, 1)
	go func() {
		_, err := client.Predict(l.context(), &apis.PredictRequest{ModelSpec: specOf("m")})
		answered <- err
	}()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for pending, _ := l.s.Faults(); len(pending) > 0 && pending[0].Next > 0; pending, _ = l.s.Faults() {
		<-again.C
	}
	return answered
}

// Goal: Drain lets requests in flight finish, and refuses new requests.
func TestADrainedServerAnswersWhatIsInFlight(t *testing.T) {
	l := newLab(t)
	answered := inFlight(l, 200*time.Millisecond)
	if !l.s.Drain(time.Minute) {
		t.Error("got no end of the drain, want one")
	}
	if err := <-answered; err != nil {
		t.Errorf("request in flight: got %v, want its answer", err)
	}
	if _, err := l.predictions().Predict(l.context(), &apis.PredictRequest{ModelSpec: specOf("m")}); status.Code(err) != codes.Unavailable {
		t.Errorf("request after it: got %v, want %v", err, codes.Unavailable)
	}
}

// Goal: Drain returns false at its limit, and Close then ends the remaining requests.
func TestADrainThatTakesTooLong(t *testing.T) {
	l := newLab(t)
	answered := inFlight(l, time.Hour)
	if l.s.Drain(time.Millisecond) {
		t.Error("got all requests answered, want one in flight")
	}
	l.s.Close()
	if err := <-answered; status.Code(err) != codes.Unavailable {
		t.Errorf("request in flight: got %v, want %v", err, codes.Unavailable)
	}
}
