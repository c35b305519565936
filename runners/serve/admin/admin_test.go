package admin_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/serve/admin"
)

// Goal: the interface obeys only programs of this machine, and of these only the ones that send its
// token. It lists its actions and says what is wrong with a request. Method: HTTP requests as
// browsers and curl send them.

type number struct {
	N int `json:"n"`
}

func listen(t *testing.T, actions ...admin.Action) *admin.Server {
	t.Helper()
	s, err := admin.Listen("127.0.0.1:0", "a test", admin.Access{Token: admin.NoToken}, actions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var double = admin.Do("/double", "twice a number", number{2}, func(in number) (number, error) {
	if in.N < 0 {
		return number{}, errors.New("n: found a number below 0")
	}
	return number{2 * in.N}, nil
})

// ask sends a request and returns the status and the body of the answer.
func ask(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) == nil {
		return response.StatusCode, compact.String()
	}
	return response.StatusCode, string(text)
}

func TestWhoIsRefused(t *testing.T) {
	s := listen(t, double)
	port := s.URL()[strings.LastIndex(s.URL(), ":"):]
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"a program", nil, 200},
		{"a program that says localhost", []string{"Host", "localhost" + port}, 200},
		{"the interface's own page", []string{"Origin", s.URL(), "Sec-Fetch-Site", "same-origin"}, 200},
		{"a person who types the address", []string{"Sec-Fetch-Site", "none"}, 200},
		{"another name for this machine", []string{"Host", "evil.example" + port}, 403},
		{"no port", []string{"Host", "127.0.0.1"}, 403},
		{"another port", []string{"Host", "127.0.0.1:1"}, 403},
		{"another page", []string{"Origin", "http://evil.example"}, 403},
		{"a page of another port", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"a page by another scheme", []string{"Origin", "https://127.0.0.1" + port}, 403},
		{"a page without an origin", []string{"Origin", "null"}, 403},
		{"a page of another name for this machine", []string{"Host", "localhost" + port, "Origin", s.URL()}, 403},
		{"a picture in another page", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a picture in a page of another port", []string{"Sec-Fetch-Site", "same-site"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := ask(t, "POST", s.URL()+"/double", `{"n": 21}`, c.headers...)
			if status != c.status || status == 200 && body != `{"n":42}` || status != 200 && strings.Contains(body, `"n"`) {
				t.Errorf("got %d %s, want %d", status, body, c.status)
			}
			if status, _ := ask(t, "GET", s.URL()+"/", "", c.headers...); status != c.status {
				t.Errorf("the list: got %d, want %d", status, c.status)
			}
		})
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nowhere", "127.0.0.1:99999"} {
		if s, err := admin.Listen(addr, "a test", admin.Access{}, nil); err == nil {
			s.Close()
			t.Errorf("%s: listens", addr)
		} else if !strings.Contains(err.Error(), "want one as 127.0.0.1:0") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	taken := listen(t)
	if s, err := admin.Listen(taken.Addr(), "a test", admin.Access{}, nil); err == nil {
		s.Close()
		t.Error("two listen on one port")
	} else if !strings.Contains(err.Error(), "choose another port") {
		t.Error(err)
	}
}

func TestAnswers(t *testing.T) {
	s := listen(t, double)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/double", `{"n": 4}`, 200, `{"n":8}`},
		{"POST", "/double", "", 200, `{"n":0}`},
		{"POST", "/double", `{"n": -1}`, 400, "below 0"},
		{"POST", "/double", `{"m": 1}`, 400, `body: json: unknown field \"m\"; want a JSON object with some of the fields n`},
		{"POST", "/double", `[1]`, 400, `body: found an array, want a JSON object with some of the fields n`},
		{"POST", "/double", `{"n": 99999999999999999999}`, 400, `n: found a number 99999999999999999999, want a whole number of 64 bits`},
		{"POST", "/double", `{"n": "4"}`, 400, `n: found a string, want a whole number`},
		{"POST", "/double", `{"n": 1} {}`, 400, "want one"},
		{"POST", "/double", `{"n": `, 400, "want a JSON object"},
		{"POST", "/double", strings.Repeat(" ", 1<<20+1), 400, "too large"},
		{"GET", "/double", "", 405, "want POST"},
		{"GET", "/triple", "", 404, "GET / lists"},
		{"GET", "/", "", 200, `"command":"curl -d '{\"n\":2}' ` + s.URL() + `/double"`},
	} {
		if status, body := ask(t, c.method, s.URL()+c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %.40s: got %d %s, want %d with %s", c.method, c.path, c.body, status, body, c.status, c.want)
		}
	}
}
