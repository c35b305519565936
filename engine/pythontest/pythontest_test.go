package pythontest_test

import (
	"testing"

	"github.com/monosim/monosim/engine/pythontest"
)

const counts = `
import json, sys
for number, line in enumerate(sys.stdin):
    print(json.dumps({"number": number, "order": json.loads(line)}), flush=True)
`

// Goal: each order gets the answer that belongs to it. Method: a program that numbers its orders.
func TestAProgramAnswersItsOrders(t *testing.T) {
	p := pythontest.Start(t, pythontest.Command(t, pythontest.Find(t), "-c", counts))
	for i, order := range []string{"first", "second"} {
		var answer struct {
			Number int
			Order  map[string]string
		}
		p.Order(t, map[string]string{"do": order}, &answer)
		if answer.Number != i || answer.Order["do"] != order {
			t.Errorf("order %d, %s: got %+v", i, order, answer)
		}
	}
}

func TestModulesAreFoundOrNot(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "json", "json.decoder") {
		t.Error("json and json.decoder: not found")
	}
	for _, missing := range []string{"monosim_has_no_such_module", "monosim_has_no_such_package.module"} {
		if pythontest.Has(t, python, "json", missing) {
			t.Errorf("%s: found", missing)
		}
	}
}
