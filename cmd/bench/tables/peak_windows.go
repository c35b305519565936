package tables

import "os"

// peakBytes returns the peak memory of a process that has ended, 0 where it is unknown.
func peakBytes(*os.ProcessState) float64 { return 0 }
