package main

import (
	"fmt"
	"time"
)

// progressPeriod keeps a log from looking stuck. Someone who watches a terminal
// sees each package end instead.
const progressPeriod = 10 * time.Second

// standing says what has ended and what runs.
func (c *counter) standing() string {
	ended := 0
	running := ""
	for _, p := range c.order {
		if p.ended {
			ended++
		} else if running == "" {
			running = ", now " + p.path
		}
	}
	return fmt.Sprintf("packages done %d, passed %d, failed %d%s", ended, c.passed, c.failed, running)
}
