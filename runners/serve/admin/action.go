package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// Action is one kind of request that the admin interface answers.
type Action struct {
	Method, Path string
	// About describes the action on one line.
	About string
	// Example is a sample body that the action accepts, or nil if it takes no body.
	Example any

	do func(body []byte) (any, error)
	// stream, if not nil, answers the request in place of do, for as long as the client listens.
	stream http.HandlerFunc
}

// Show makes a GET action that answers with the result of show as JSON.
func Show[Out any](path, about string, show func() (Out, error)) Action {
	return Action{Method: http.MethodGet, Path: path, About: about, do: func([]byte) (any, error) { return show() }}
}

// Do makes a POST action that decodes its body into an In and answers with the result of do.
// example is a sample body. Unknown fields are an error, and missing fields are zero. An empty body
// counts as an empty object. An error of do gives status 400.
func Do[In, Out any](path, about string, example In, do func(In) (Out, error)) Action {
	return Action{Method: http.MethodPost, Path: path, About: about, Example: example, do: func(body []byte) (any, error) {
		var in In
		if err := read(body, &in); err != nil {
			return nil, err
		}
		return do(in)
	}}
}

// Serve makes a GET action whose handler writes the answer itself: a page or a stream of events.
func Serve(path, about string, handler http.HandlerFunc) Action {
	return Action{Method: http.MethodGet, Path: path, About: about, stream: handler}
}

// Hold makes a POST action that keeps its request open. It calls begin at the start. It calls end
// when the client disconnects or the server closes.
func Hold[In any](path, about string, example In, begin func(In) error, end func()) Action {
	return Action{Method: http.MethodPost, Path: path, About: about, Example: example, stream: func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var in In
		if err == nil {
			err = read(body, &in)
		}
		if err == nil {
			err = begin(in)
		}
		if err != nil {
			answer(w, http.StatusBadRequest, failure{err.Error()})
			return
		}
		defer end()
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, "{}\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}}
}

// maxBody is the largest request body in bytes. All actions need far less.
const maxBody = 1 << 20

// read decodes a body that holds one JSON object. Unknown fields are an error.
func read(body []byte, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%s: found %s, want %s", wrong.Field, one(wrong.Value), kindOf(wrong.Type))
	} else if wrong != nil {
		return fmt.Errorf("body: found %s, want %s", one(wrong.Value), objectOf(reflect.TypeOf(into).Elem()))
	}
	if err != nil {
		return fmt.Errorf("body: %w; want %s", err, objectOf(reflect.TypeOf(into).Elem()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("body: found more behind the first JSON object, want one")
	}
	return nil
}

// one puts the article before a kind of JSON value.
func one(kind string) string {
	if strings.ContainsAny(kind[:1], "ao") {
		return "an " + kind
	}
	return "a " + kind
}

// objectOf describes in words which body an action takes, for error messages.
func objectOf(t reflect.Type) string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "a JSON object without fields"
	}
	return "a JSON object with some of the fields " + strings.Join(names, ", ")
}

// kindOf describes in words which values a field of type t takes, for error messages.
func kindOf(t reflect.Type) string {
	if t == reflect.TypeFor[Span]() {
		return "a time as 250ms or 2s"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number of 64 bits"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list of texts"
	case reflect.String:
		return "a text"
	}
	return "an object"
}

// serve answers one request for the action.
func (a *Action) serve(w http.ResponseWriter, r *http.Request) {
	if a.stream != nil {
		a.stream(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answer(w, http.StatusBadRequest, failure{fmt.Sprintf("body: %v", err)})
		return
	}
	out, err := a.do(body)
	if err != nil {
		answer(w, http.StatusBadRequest, failure{err.Error()})
		return
	}
	answer(w, http.StatusOK, out)
}

// failure is the JSON body of an answer that reports an error.
type failure struct {
	Error string `json:"error"`
}

// answer writes body as indented JSON, followed by a line break.
func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error": "the answer is no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// Nothing is the result of an action that returns no data. Its JSON is {}.
type Nothing struct{}

// Span is a duration in JSON, written as "250ms" or "2s".
type Span time.Duration

// MarshalText formats the duration as time.Duration does.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText parses the duration by time.ParseDuration.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("time %q, want one as 250ms or 2s", text)
	}
	*s = Span(d)
	return nil
}
