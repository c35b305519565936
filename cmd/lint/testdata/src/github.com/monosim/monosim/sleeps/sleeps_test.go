package sleeps

import (
	"testing"
	"time"
)

func TestNap(t *testing.T) {
	time.Sleep(time.Millisecond) // want `time.Sleep in a test: wait for what the test waits for`
	sleep := time.Sleep          // want `time.Sleep in a test`
	sleep(1)
	nap()
	t.Log(time.Millisecond)
}
