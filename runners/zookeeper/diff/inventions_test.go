package diff

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: random scripts have each operation of the machine's table. That none is missing
// the compiler sees; that each is there once is seen here, and that each is met by
// TestScriptsMeetEveryOperationAndCode.
func TestEveryOperationIsInvented(t *testing.T) {
	for i, op := range zookeeper.OpCodes() {
		if v := &inventions[i]; v.op != op || !v.wanted() {
			t.Errorf("entry %d: got %s, asked for: %t; want %s, asked for", i, v.op, v.wanted(), op)
		}
	}
}
