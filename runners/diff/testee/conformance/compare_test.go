package conformance

import (
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// Goal: two answers are equal exactly if the protocol's rules of comparison say so. Method: a table
// of pairs of answers, for each rule and its edges.

func TestComparison(t *testing.T) {
	const status = `{"$pb":"tensorflow.serving.ModelVersionStatus","hex":"`
	cases := []struct {
		name, op, want, got string
		equal               bool
	}{
		{"keys in another order", "x", `{"out":{"a":1,"b":2}}`, `{"out":{"b":2,"a":1}}`, true},
		{"a key more", "x", `{"out":{"a":1}}`, `{"out":{"a":1,"b":null}}`, false},
		{"lists in another order", "x", `{"out":[1,2]}`, `{"out":[2,1]}`, false},
		{"sets in another order", "x", `{"out":{"$set":[1,"a"]}}`, `{"out":{"$set":["a",1]}}`, true},
		{"sets of other items", "x", `{"out":{"$set":[1]}}`, `{"out":{"$set":[true]}}`, false},
		{"dicts in another order", "x", `{"out":{"$dict":[[1,"a"],[2,"b"]]}}`, `{"out":{"$dict":[[2,"b"],[1,"a"]]}}`, true},
		{"true is not 1", "x", `{"out":true}`, `{"out":1}`, false},
		{"1 is not 1.0", "x", `{"out":1}`, `{"out":1.0}`, false},
		{"null is not missing", "x", `{"out":{"r":null}}`, `{"out":{}}`, false},
		{"a large int is not a bare one", "x", `{"out":{"$int":"9007199254740993"}}`, `{"out":9007199254740993}`, false},
		{"floats in another form", "x", `{"out":{"$f64":"1e+22"}}`, `{"out":{"$f64":"1E22"}}`, true},
		{"nan is nan", "x", `{"out":{"$f64":"nan"}}`, `{"out":{"$f64":"-nan"}}`, true},
		{"zeros of another sign", "x", `{"out":{"$f64":"-0.0"}}`, `{"out":{"$f64":"0.0"}}`, false},
		{"lone surrogates", "x", `{"out":"\ud83d"}`, `{"out":"\ud83d"}`, true},
		{"another surrogate", "x", `{"out":"\ud83d"}`, `{"out":"\ud83e"}`, false},
		{"bytes", "x", `{"out":{"$hex":"00ff"}}`, `{"out":{"$hex":"00FF"}}`, false},
		{"enums", "x", `{"out":{"$enum":"T","name":"A","value":1}}`, `{"out":{"$enum":"T","name":"B","value":1}}`, false},
		{"fields of a message in another order", "x", `{"out":` + status + `0801101e"}}`, `{"out":` + status + `101e0801"}}`, true},
		{"the text of a message", "x", `{"out":` + status + `0801","text":"version: 1"}}`, `{"out":` + status + `0801"}}`, true},
		{"another message", "x", `{"out":` + status + `0801"}}`, `{"out":` + status + `0802"}}`, false},
		{"an empty message inside is not none", "x", `{"out":` + status + `08011a00"}}`, `{"out":` + status + `0801"}}`, false},
		{"messages of an unknown type by their bytes", "x", `{"out":{"$pb":"a.B","hex":"0801"}}`, `{"out":{"$pb":"a.B","hex":"0801"}}`, true},
		{"text protos by content", "agent_v3.AgentV3", `{"out":{"config_text":"model_config_list {}"}}`, `{"out":{"config_text":"model_config_list: <\n>"}}`, true},
		{"text protos with other content", "agent_v3.AgentV3", `{"out":{"config_text":"model_config_list {}"}}`, `{"out":{"config_text":""}}`, false},
		{"the same text elsewhere is exact", "x", `{"out":{"config_text":"model_config_list {}"}}`, `{"out":{"config_text":"model_config_list {\n}\n"}}`, false},
		{"text protos as bytes", "utils.InstanceFormater.to_pb_text", `{"out":{"content":{"$hex":"6669643a2031"}}}`, `{"out":{"content":{"$hex":"6669643a310a"}}}`, true},
		{"messages that Python words", "x", `{"error":{"type":"KeyError","message":"'a'"}}`, `{"error":{"type":"KeyError","message":"a"}}`, true},
		{"messages that the reference words", "x", `{"error":{"type":"NoNodeError","message":"/a is not exists!"}}`, `{"error":{"type":"NoNodeError","message":"/b is not exists!"}}`, false},
		{"a ValueError of the reference", "x", `{"error":{"type":"ValueError","message":"x is not allowed!"}}`, `{"error":{"type":"ValueError","message":"no"}}`, false},
		{"a ValueError of Python", "x", `{"error":{"type":"ValueError","message":"bad"}}`, `{"error":{"type":"ValueError","message":"worse"}}`, true},
		{"another type", "x", `{"error":{"type":"KeyError","message":""}}`, `{"error":{"type":"IndexError","message":""}}`, false},
		{"a failed attempt", "x", `{"out":[{"e":{"type":"KeyError","message":"a"}}]}`, `{"out":[{"e":{"type":"KeyError","message":"b"}}]}`, true},
		{"a program that failed", "x", `{"out":{"error":{"type":"KeyError","message":"a"}}}`, `{"out":{"error":{"type":"KeyError","message":"b"}}}`, true},
		{"a program that failed otherwise", "x", `{"out":{"error":{"type":"KeyError","message":"a"}}}`, `{"out":{"error":{"type":"ValueError","message":"a"}}}`, false},
		{"an assertion without text", "x", `{"out":{"e":{"type":"AssertionError","message":""}}}`, `{"out":{"e":{"type":"AssertionError","message":"x"}}}`, false},
		{"a value where an error is expected", "x", `{"error":{"type":"KeyError","message":""}}`, `{"out":null}`, false},
		{"details of gRPC", "x", `{"out":{"status":{"code":"UNKNOWN","details":"a"}}}`, `{"out":{"status":{"code":"UNKNOWN","details":"b"}}}`, true},
		{"details of the reference", "x", `{"out":{"code":"UNKNOWN","details":"Exception calling application: not implement for agent v3"}}`, `{"out":{"code":"UNKNOWN","details":"b"}}`, false},
		{"another code", "x", `{"out":{"code":"UNKNOWN","details":""}}`, `{"out":{"code":"INTERNAL","details":""}}`, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want, got := parsedAnswer(t, c.want), parsedAnswer(t, c.got)
			if diff := Compare(c.op, want, got); (diff == "") != c.equal {
				t.Errorf("got the difference %q, want equal %v", diff, c.equal)
			}
			if diff := Compare(c.op, want, want); diff != "" {
				t.Errorf("an answer differs from itself: %s", diff)
			}
		})
	}
}

func parsedAnswer(t *testing.T, text string) testee.Answer {
	t.Helper()
	v, err := pysem.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := testee.AnswerOf(v.(*pysem.Dict))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestABrokenAnswerNeverAgrees(t *testing.T) {
	if Compare("x", testee.Answer{Kind: testee.Returned}, testee.Answer{Kind: testee.Broken, Why: "died"}) == "" {
		t.Error("a broken answer agrees")
	}
}
