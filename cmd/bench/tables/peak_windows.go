package tables

import "os"

// peakBytes is the most memory that a process that has ended had, 0 where nobody knows.
func peakBytes(*os.ProcessState) float64 { return 0 }
