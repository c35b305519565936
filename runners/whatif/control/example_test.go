package control_test

import (
	"context"
	"fmt"
	"time"

	"github.com/monosim/monosim/runners/whatif/control"
)

// Six containers of version 1 hold as many watches as the formula says. If one dies, the
// others notice when its session has expired.
func Example() {
	lab := control.Lab{Version: 1, Shards: 2, Replicas: 3, NumPS: 4, Seed: 1, Quirks: "python", Incidents: []string{"kill 1"}}
	m, err := lab.Measure(context.Background(), &servers)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d agents hold %v watches, by the formula %v\n", m.Load.Agents, m.Watches, m.Load.Watches)
	kill := m.Incidents[0]
	fmt.Println("missed within 20 s:", time.Duration(*kill.Noticed) < 20*time.Second, "and back within a minute:", time.Duration(*kill.Recovered) < time.Minute)

	// Output:
	// 6 agents hold 144 watches, by the formula 144
	// missed within 20 s: true and back within a minute: true
}
