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
	// Model is the name under which the serving PS has the model. Target is its address.
	Model, Target string
	// Steps is the number of training steps that touched the PS since the previous round. With Q331
	// repaired, it also counts the steps of earlier pushes that failed to reach this target.
	Steps int64
	// Err is the RPC's status; nil for OK.
	Err error
}

// client keeps a channel to each target (SyncClientManager, sync_client_manager.cc).
type client struct {
	e        *env.Env
	ps       int
	channels map[string]env.Channel
	// keeps is set if a failed push is sent again with the next push to the same target (Q331
	// repaired). owed then holds the number of unsent steps for each target.
	keeps bool
	owed  map[string]int64
}

// replace closes the channels to targets that are gone, and opens channels to new targets
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

// push sends to the targets one after another, and continues after a failure. It uses the backend's
// order of targets. The reference uses the order of a hash map.
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
// multi hash tables, which a job has by default (cpu_training.py:610). It computes no real values.
// One id stands for all ids that the steps touched, and its value is the number of steps.
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
