package serve_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/monosim/monosim/sim/consul/serve"
)

// The new agent lists no services, because nothing has been registered.
func ExampleListen() {
	s, err := serve.Listen("127.0.0.1:0", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	response, err := http.Get("http://" + s.Addr() + "/v1/lookup/name?name=job")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(body))
	// Output: 200 []
}
