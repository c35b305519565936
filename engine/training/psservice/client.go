package psservice

import (
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	pb "github.com/monosim/monosim/engine/proto/monolith/ps_training"
)

// carriedTimeoutMs is what requests carry; nobody holds a call to it.
const carriedTimeoutMs = 5000

// Client spreads ids over servers.
type Client struct{ shards []env.Channel }

// NewClient makes a client of servers, in the order of their shards.
func NewClient(e *env.Env, addrs []string) *Client {
	c := &Client{}
	for _, a := range addrs {
		c.shards = append(c.shards, e.Network.Dial(a))
	}
	return c
}

// Close ends its channels.
func (c *Client) Close() {
	for _, s := range c.shards {
		s.Close()
	}
}

// call makes one call; a status that is not 0 is an error of the server.
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

// refusal is the error of a status.
func refusal(status int32, message string) error {
	if status == 0 {
		return nil
	}
	return &env.RPCError{Code: env.Internal, Message: message}
}

// spread has each id once, with its shard, and for each place of ids which of these it is.
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

// Lookup answers the embedding of each id, asking one shard after the other.
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
		found[i] = response.Embeddings
	}
	rows := make([][]float32, len(ids))
	for i, at := range where {
		rows[i] = found[at[0]][at[1]*int(dim) : (at[1]+1)*int(dim)]
	}
	return rows, nil
}

// Barrier arrives at a barrier, which shard 0 keeps.
func (c *Client) Barrier(id string, worker, numWorkers int32, timeout time.Duration) (arrived int32, err error) {
	response := &pb.BarrierResponse{}
	request := &pb.BarrierRequest{BarrierId: id, WorkerId: worker, NumWorkers: numWorkers, TimeoutMs: timeout.Milliseconds()}
	if err := call(c.shards[0], pb.ParameterServerTraining_Barrier_FullMethodName, request, response); err != nil {
		return 0, err
	}
	return response.NumArrived, refusal(response.StatusCode, response.ErrorMessage)
}
