package diff

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: random scripts contain each operation of the machine. The compiler checks the number
// of entries. This test checks their order and that each is used.
// TestScriptsMeetEveryOperationAndCode checks that scripts meet them.
func TestEveryOperationIsInvented(t *testing.T) {
	for i, op := range zookeeper.OpCodes() {
		if v := &inventions[i]; v.op != op || !v.wanted() {
			t.Errorf("entry %d: got %s, asked for: %t; want %s, asked for", i, v.op, v.wanted(), op)
		}
	}
}
