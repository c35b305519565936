package parametersync

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

const (
	// Timeout is the deadline of one push (distributed_serving_ops.py:112).
	Timeout = 3 * time.Second
	// predict is the method by which a PS pushes (parameter_sync_client.cc:117).
	predict = "/tensorflow.serving.PredictionService/Predict"
)

// Push is the outcome of a push to one serving PS.
type Push struct {
	// Model is the name of the model there, and Target the address.
	Model, Target string
	// Steps is how many training steps had touched the PS since the round before. With Q331 repaired it
	// has those too whose push to this target failed.
	Steps int64
	// Err is the RPC's status; nil for OK.
	Err error
}

// client keeps a channel to each target (SyncClientManager, sync_client_manager.cc).
type client struct {
	e        *env.Env
	ps       int
	channels map[string]env.Channel
	// keeps is set if what a target did not take goes with its next push (Q331). owed has the steps that
	// each is to get then.
	keeps bool
	owed  map[string]int64
}

// replace drops the channels of targets that are gone, and makes those of new ones
// (sync_client_manager.cc:155).
func (c *client) replace(targets []string) {
	for t, channel := range c.channels { //lint:ordered each by itself
		if !slices.Contains(targets, t) {
			channel.Close()
			delete(c.channels, t)
			delete(c.owed, t)
		}
	}
	for _, t := range targets {
		if c.channels[t] == nil {
			c.channels[t] = c.e.Network.Dial(t)
		}
	}
}

// push sends to each target, one after another, and goes on after a failure. The reference's order is
// that of a hash map, here it is the backend's.
func (c *client) push(conf config, steps int64, pushed func(Push)) error {
	for _, target := range conf.targets {
		due := steps + c.owed[target]
		if due == 0 {
			continue
		}
		request, err := proto.Marshal(c.request(conf.model, due))
		if err != nil {
			return err
		}
		_, err = c.channels[target].Call(predict, request, Timeout)
		delete(c.owed, target)
		if err != nil {
			if c.keeps {
				c.owed[target] = due
			}
			c.e.Log.Logf(env.Warning, "parameter sync of ps %d to %s: %v", c.ps, target, err)
		}
		pushed(Push{Model: conf.model, Target: target, Steps: due, Err: err})
	}
	return nil
}

// request makes the message (ParameterSyncClient::Convert, parameter_sync_client.cc:33) for native
// multi hash tables, which a job has by default (cpu_training.py:610). Nothing is really computed: one
// id stands for those that the steps have touched, and its value is their number.
func (c *client) request(model string, steps int64) *apis.PredictRequest {
	ints := func(values ...int64) *framework.TensorProto {
		return &framework.TensorProto{Dtype: framework.DataType_DT_INT64, TensorShape: vector(len(values)), Int64Val: values}
	}
	return &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: model, SignatureName: fmt.Sprintf("MonolithMultiHashTable_%d/raw_assign", c.ps)},
		Inputs: map[string]*framework.TensorProto{
			"id": ints(int64(c.ps)), "id_split": ints(0, 1),
			"flat_value": {Dtype: framework.DataType_DT_FLOAT, TensorShape: vector(1), FloatVal: []float32{float32(steps)}},
		},
	}
}

func vector(n int) *framework.TensorShapeProto {
	return &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: int64(n)}}}
}

func (c *client) close() {
	for _, channel := range c.channels { //lint:ordered each by itself
		channel.Close()
	}
}
