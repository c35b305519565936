package message_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pysem/message"
)

func ExampleSet() {
	m := &apis.ModelVersionStatus{}
	fmt.Println(message.Set(m, "state", "AVAILABLE"), m.GetState())
	fmt.Println(message.Set(m, "version", 1.5))

	// Output:
	// <nil> AVAILABLE
	// TypeError: 'float' object cannot be interpreted as an integer
}
