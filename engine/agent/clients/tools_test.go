package clients

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
)

func TestControlPrintsWhatTheBzidHolds(t *testing.T) {
	e := envtest.New(nil, nil)
	e.Tasks, e.Log, e.ZooKeeper = &envtest.Tasks{}, envtest.Quiet{}, oneZooKeeper{envtest.NewZooKeeper()}
	got, err := Control(e, DefaultControlOptions())
	const want = "\n{\n  \"model_info\": {},\n  \"container_info\": {},\n  \"layout_info\": {}\n}\n"
	if got != want || err != nil {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
}

func TestControlRefusesBadFlags(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(*ControlOptions)
	}{
		{"unknown command", "ValueError: unsupported cmd x, options are decl|pub|unpub|bzid_info", func(o *ControlOptions) { o.Cmd = "x" }},
		{"decl without export", "AssertionError", func(o *ControlOptions) { o.Cmd = "decl" }},
		{"pub without layout", "AssertionError", func(o *ControlOptions) { o.Cmd, o.ModelName = "pub", "m:*" }},
		{"unpub without model", "AssertionError", func(o *ControlOptions) { o.Cmd, o.Layout = "unpub", "l" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := envtest.New(nil, nil)
			e.Tasks, e.Log, e.ZooKeeper = &envtest.Tasks{}, envtest.Quiet{}, oneZooKeeper{envtest.NewZooKeeper()}
			o := DefaultControlOptions()
			test.change(&o)
			if _, err := Control(e, o); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestQ136_GetWithAnExampleBatchNeverWorks(t *testing.T) {
	c := TFSClient{Env: envtest.New(map[string]string{"eb": "\x02\x00\x00\x00\x00\x00\x00\x00\x18\x01"}, nil)}
	for _, test := range []struct{ file, want string }{
		{"eb", "NameError: name 'user_features' is not defined"},
		{"missing", "AssertionError"},
	} {
		if _, err := c.ExampleBatchProtoV2(test.file, 8); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.file, err, test.want)
		}
	}
}

// Goal: a call that fails without taking time is repeated once a millisecond, until the test's
// duration is over.
func TestQ142_AProfileTriesAgainAtOnce(t *testing.T) {
	clock := &movingClock{}
	e := envtest.New(nil, nil)
	e.Clock, e.Tasks, e.Log = clock, movingTasks{clock: clock}, envtest.Quiet{}
	// Without data every call fails.
	TFSClient{Env: e}.NewProfileThread(0, PredictLoad{Duration: 2 * time.Second}).Run()
	if len(clock.slept) != 2000 || clock.at != 2*time.Second {
		t.Errorf("got %d failures in %v, want 2000 in 2s", len(clock.slept), clock.at)
	}
}

// movingClock is a clock that advances only when a task sleeps.
type movingClock struct {
	envtest.Clock
	at    time.Duration
	slept []time.Duration
}

func (c *movingClock) Now() time.Time { return c.Clock.Now().Add(c.at) }

type movingTasks struct {
	env.Tasks
	clock *movingClock
}

func (t movingTasks) Sleep(d time.Duration) {
	t.clock.at += d
	t.clock.slept = append(t.clock.slept, d)
}
