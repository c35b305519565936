package sleeps

import "time"

// Outside of tests others decide.
func nap() { time.Sleep(1) }
