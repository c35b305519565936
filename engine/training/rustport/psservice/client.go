package psservice

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	pb "github.com/monosim/monosim/engine/proto/monolith/ps_training"
)

// carriedTimeoutMs is the timeout in milliseconds that each request states. No server enforces it.
const carriedTimeoutMs = 5000

// Client distributes ids over the embedding servers of a training. Each server is a shard.
type Client struct{ shards []env.Channel }

// NewClient makes a client of the servers at addrs. Shard i is the server at addrs[i].
func NewClient(e *env.Env, addrs []string) *Client {
	return &Client{shards: lists.Map(addrs, e.Network.Dial)}
}

// Connect makes a client once it has connected to each server. A server that cannot be reached is
// a ConnectionError.
func Connect(e *env.Env, addrs []string) (*Client, error) {
	for _, a := range addrs {
		if err := e.Network.Probe(a, 0); err != nil {
			return nil, &ConnectionError{Addr: a, Err: err}
		}
	}
	return NewClient(e, addrs), nil
}

// ConnectionError is returned for a server that cannot be reached.
type ConnectionError struct {
	Addr string
	Err  error
}

// Error returns the Rust port's text.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("Connection failed to %s: %v", e.Addr, e.Err)
}

// Unwrap returns the network's error.
func (e *ConnectionError) Unwrap() error { return e.Err }

// DimensionError is returned if the number of values does not fit the dimension.
type DimensionError struct{ Want, Got int }

// Error returns the Rust port's text.
func (e *DimensionError) Error() string {
	return fmt.Sprintf("Dimension mismatch: expected %d, got %d", e.Want, e.Got)
}

// Close closes the client's channels.
func (c *Client) Close() {
	for _, s := range c.shards {
		s.Close()
	}
}

// call makes one call. A status other than 0 is returned as an error.
func call(channel env.Channel, method string, request, response proto.Message) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	if data, err = channel.Call(method, data, 0); err != nil {
		return err
	}
	return proto.Unmarshal(data, response)
}

// refusal returns the error for a response's status, nil for status 0.
func refusal(status int32, message string) error {
	if status == 0 {
		return nil
	}
	return &env.RPCError{Code: rpcerrors.Internal, Message: message}
}

// spread returns the distinct ids of each shard. where[i] holds the shard of ids[i], and the index
// of the id in that shard's list.
func (c *Client) spread(ids []int64) (shards [][]int64, where [][2]int) {
	shards = make([][]int64, len(c.shards))
	seen := map[int64][2]int{}
	for _, id := range ids {
		at, ok := seen[id]
		if !ok {
			n := int64(len(c.shards))
			shard := int((id%n + n) % n)
			at = [2]int{shard, len(shards[shard])}
			seen[id] = at
			shards[shard] = append(shards[shard], id)
		}
		where = append(where, at)
	}
	return shards, where
}

// Lookup returns the embedding of each id, asking one shard after another. If the table has another
// dimension, it returns a DimensionError.
func (c *Client) Lookup(table string, ids []int64, dim int32, create bool) ([][]float32, error) {
	shards, where := c.spread(ids)
	found := make([][]float32, len(shards))
	for i, shard := range shards {
		if len(shard) == 0 {
			continue
		}
		response := &pb.LookupResponse{}
		request := &pb.LookupRequest{TableName: table, Fids: shard, DimSize: dim, CreateIfMissing: create, TimeoutMs: carriedTimeoutMs}
		if err := call(c.shards[i], pb.ParameterServerTraining_Lookup_FullMethodName, request, response); err != nil {
			return nil, err
		}
		if err := refusal(response.StatusCode, response.ErrorMessage); err != nil {
			return nil, err
		}
		if want := len(shard) * int(dim); len(response.Embeddings) != want {
			return nil, &DimensionError{Want: want, Got: len(response.Embeddings)}
		}
		found[i] = response.Embeddings
	}
	rows := make([][]float32, len(ids))
	for i, at := range where {
		rows[i] = found[at[0]][at[1]*int(dim) : (at[1]+1)*int(dim)]
	}
	return rows, nil
}

// ApplyGradients subtracts, for each id, rate times the id's gradient from the id's embedding, one
// shard after another. Gradients of a repeated id are added up. It returns how many embeddings were
// updated and how many do not exist. If there are not exactly dim gradients for each id, it returns
// a DimensionError.
func (c *Client) ApplyGradients(table string, ids []int64, gradients []float32, dim int32, rate float32) (updated, missing int, err error) {
	if want := len(ids) * int(dim); len(gradients) != want {
		return 0, 0, &DimensionError{Want: want, Got: len(gradients)}
	}
	shards, where := c.spread(ids)
	sums := lists.Map(shards, func(shard []int64) []float32 { return make([]float32, len(shard)*int(dim)) })
	for i, at := range where {
		to := sums[at[0]][at[1]*int(dim):]
		for j, g := range gradients[i*int(dim) : (i+1)*int(dim)] {
			to[j] += g
		}
	}
	for i, shard := range shards {
		if len(shard) == 0 {
			continue
		}
		response := &pb.ApplyGradientsResponse{}
		request := &pb.ApplyGradientsRequest{TableName: table, Fids: shard, Gradients: sums[i], DimSize: dim, LearningRate: rate, TimeoutMs: carriedTimeoutMs}
		if err := call(c.shards[i], pb.ParameterServerTraining_ApplyGradients_FullMethodName, request, response); err != nil {
			return 0, 0, err
		}
		if err := refusal(response.StatusCode, response.ErrorMessage); err != nil {
			return 0, 0, err
		}
		updated += int(response.NumUpdated)
		missing += int(response.NumNotFound)
	}
	return updated, missing, nil
}

// Barrier waits at a barrier on shard 0 until all workers have arrived.
func (c *Client) Barrier(id string, worker, numWorkers int32, timeout time.Duration) (arrived int32, err error) {
	response := &pb.BarrierResponse{}
	request := &pb.BarrierRequest{BarrierId: id, WorkerId: worker, NumWorkers: numWorkers, TimeoutMs: timeout.Milliseconds()}
	if err := call(c.shards[0], pb.ParameterServerTraining_Barrier_FullMethodName, request, response); err != nil {
		return 0, err
	}
	return response.NumArrived, refusal(response.StatusCode, response.ErrorMessage)
}
