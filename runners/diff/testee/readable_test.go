package testee

import "testing"

// Goal: values in the protocol's special forms become readable. Method: one value of each form.
func TestAnswersAreReadable(t *testing.T) {
	for _, c := range []struct{ name, out, want string }{
		{"bytes of text", `{"$hex": "61c3a9"}`, `"a\u00e9"`},
		{"other bytes", `{"$hex": "ff"}`, `{"$hex": "ff"}`},
		{"a float", `[{"$f64": "-1.0"}]`, `[-1.0]`},
		{"no number", `{"$f64": "nan"}`, `{"$f64": "nan"}`},
		{"a set", `{"$set": [{"$hex": "61"}]}`, `["a"]`},
		{"a message", `{"r": {"$pb": "tensorflow.serving.StatusProto", "hex": "08051201"}}`, `{"r": {"$pb": "tensorflow.serving.StatusProto", "hex": "08051201"}}`},
		{"a good message", `{"r": {"$pb": "tensorflow.serving.StatusProto", "hex": "0805120161"}}`, `{"r": {"error_code": "NOT_FOUND", "error_message": "a"}}`},
		{"a message nobody knows", `{"$pb": "a.B", "hex": ""}`, `{"$pb": "a.B", "hex": ""}`},
		{"a key", `{"a": {"$hex": "61"}}`, `{"a": "a"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, a, err := ParseAnswer(`{"id": "x", "out": ` + c.out + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(a.Readable()); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestAnExceptionIsReadable(t *testing.T) {
	got := string(Answer{Kind: Raised, Type: "KeyError", Message: "m"}.Readable())
	if want := `{"e": {"type": "KeyError", "message": "m"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
