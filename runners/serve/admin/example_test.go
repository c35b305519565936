package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/monosim/monosim/runners/serve/admin"
)

// This serves an interface with a small subject, a lamp.
func Example() {
	type light struct {
		On bool `json:"on"`
	}
	lamp := light{}
	s, err := admin.Listen("127.0.0.1:0", "a lamp", admin.Access{}, []admin.Action{
		admin.Do("/switch", "switch it on or off", light{On: true}, func(in light) (light, error) {
			lamp = in
			return lamp, nil
		}),
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	answer, err := http.Post(s.URL()+"/switch", "application/json", strings.NewReader(`{"on": true}`))
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Print(string(text))
	// Output:
	// {
	//   "on": true
	// }
}
