package leap_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

const ms = time.Millisecond

var kindTick = vtime.NewKind("test.tick")

func newWorld(t *testing.T, cfg vtime.Config) *vtime.World {
	t.Helper()
	w := vtime.New(cfg)
	t.Cleanup(w.Close)
	return w
}
