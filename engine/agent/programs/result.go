package programs

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
)

// rawJSON is a result that is already formatted as JSON.
type rawJSON string

// JSON formats the result as an indented JSON document. The file of each command names the fields.
// Messages follow protobuf's JSON rules, and a result of nothing is null. A program that failed
// gives {"error": {"type", "message"}}.
func (e Ended) JSON() ([]byte, error) {
	if e.Err != nil {
		failure := pysem.DictOf("type", pylog.ClassName(e.Err), "message", pylog.Text(e.Err))
		return pysem.AppendJSONIndent(nil, pysem.DictOf("error", failure), indent), nil
	}
	var raw []byte
	switch v := e.Result.(type) {
	case proto.Message:
		// The JSON is parsed and formatted again, because protojson's spacing varies from build to
		// build.
		data, err := protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true}.Marshal(v)
		if err != nil {
			return nil, err
		}
		raw = data
	case rawJSON:
		raw = []byte(v)
	default:
		return pysem.AppendJSONIndent(nil, v, indent), nil
	}
	var b bytes.Buffer
	err := json.Indent(&b, bytes.TrimSpace(raw), "", "  ")
	return b.Bytes(), err
}

const indent = 2

func addressList(addresses []string) []any {
	return lists.Map(addresses, func(a string) any { return a })
}

// addressesByName returns the addresses of an answer, sorted by name.
func addressesByName(r *agentservice.HeartBeatResponse) *pysem.Dict {
	d := &pysem.Dict{}
	for _, name := range slices.Sorted(maps.Keys(r.GetAddresses())) {
		d.Set(name, addressList(r.GetAddresses()[name].GetAddress()))
	}
	return d
}
