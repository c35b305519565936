package tensorbundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Goal: a graph is whole, for any number of shards. Method: each input of a node, and each node that
// the saver names, is a node of the graph, and no two nodes have one name. TensorFlow itself restores
// by such a graph in engine/training/job.
func TestTheNodesOfAMetaGraphAreThere(t *testing.T) {
	for shards := 1; shards <= 3; shards++ {
		tensors := []Tensor{Int64Scalar("global_step", 0)}
		for i := range shards {
			tensors = append(tensors, Float32s(fmt.Sprintf("embedding_%d", i), i, 0))
		}
		var names, wanted []string
		each := func(message []byte, visit func(number protowire.Number, data []byte)) {
			if err := fields(message, func(number protowire.Number, _ uint64, data []byte) { visit(number, data) }); err != nil {
				t.Fatal(err)
			}
		}
		each(MetaGraph(tensors, shards), func(number protowire.Number, part []byte) {
			each(part, func(field protowire.Number, data []byte) {
				switch {
				case number == metaSaver && len(data) > 0:
					wanted = append(wanted, string(data))
				case number == metaGraph && field == graphNode:
					each(data, func(field protowire.Number, data []byte) {
						switch field {
						case nodeName:
							names = append(names, string(data))
						case nodeInput:
							wanted = append(wanted, string(data))
						}
					})
				}
			})
		})
		slices.Sort(names)
		if n := len(names); n != len(slices.Compact(names)) || len(wanted) < n {
			t.Errorf("%d shards: got %d nodes %q and %d inputs, want no name twice and an input for most", shards, n, names, len(wanted))
		}
		for _, input := range wanted {
			name, _, _ := strings.Cut(strings.TrimPrefix(input, "^"), ":")
			if !slices.Contains(names, name) {
				t.Errorf("%d shards: %s is no node of the graph", shards, name)
			}
		}
	}
}
