package clock

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Log(time.Now()) // want `time.Now in deterministic room`
	time.Sleep(1)     // testsleep speaks of this one
	//lint:hidden the benchmark compares with the host's clock
	t.Log(time.Now())
	t.Log(time.Now()) //lint:hidden the benchmark compares with the host's clock
	// want +1 `//lint:hidden without a reason`
	//lint:hidden
	t.Log(time.Now())

	//lint:hidden nothing needs it // want `//lint:hidden where the rule finds nothing`
	t.Log("done")
}
