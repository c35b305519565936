package consul_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/sim/consul"
)

// A look-up lists a registration once its check has passed, and until the TTL expires.
func Example() {
	a := consul.New()
	a.Handle(0, consul.Request{Method: "PUT", Target: "/v1/agent/service/register", From: "10.0.0.1",
		Body: []byte(`{"id": "job-1000", "name": "job", "port": 1000, "check": {"ttl": "60s"}, "tags": ["index:0"]}`)})
	a.Handle(0, consul.Request{Method: "GET", Target: "/v1/agent/check/pass/service:job-1000", From: "10.0.0.1"})
	for _, at := range []time.Duration{0, time.Minute} {
		answer := a.Handle(at, consul.Request{Method: "GET", Target: "/v1/lookup/name?name=job"})
		fmt.Println(answer.Status, string(answer.Body))
	}
	// Output:
	// 200 [{"Host":"10.0.0.1","Port":1000,"Tags":{"index":"0"}}]
	// 200 []
}
