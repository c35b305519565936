package sleeps_test

import "time"

func pause() {
	time.Sleep(1) // want `time.Sleep in a test`
}
