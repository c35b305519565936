package expr_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/expr"
)

// Goal: no expression takes unlimited time or memory. Method: expressions that would run for ever
// or fill the memory must be refused, with an error that names Q231.
func TestEndlessSourcesAreRefused(t *testing.T) {
	for _, source := range []string{
		"9**9**9", "'x'*10**9", "[0]*10**9", "1<<10**9", "sum(range(10**12))", "[x for x in range(10**9)]", "any(x<0 for x in range(10**10))",
		"(lambda f: f(f))(lambda f: f(f))", "f'{1:{10**9}}'", "'%1000000000d' % 1", "'a'.ljust(10**9)", "(10**9999)**(10**9)", "range(10**30)",
		"[x for x in range(99999) for y in range(99999)]", "bytes(10**9)", "(1).to_bytes(10**9, 'big')", "round(1, -10**9)", "max(range(10**11))",
		"'{:1000000000}'.format(1)", "dict(zip(range(10**9), range(10**9)))", "list(map(str, range(10**9)))", "10**4000000 * 10**4000000",
		"' '.join('ab' for x in range(10**9))", "sorted(range(10**9))", "'a'.replace('', 'b'*10**6)*20",
		"(lambda l: [l.extend(l) for x in range(99)])([1])", strings.Repeat("-", 5000) + "1", "1" + strings.Repeat("**1", 5000),
		strings.Repeat("not ", 5000) + "1", strings.Repeat("lambda:", 5000) + "1", "1" + strings.Repeat(" if 1 else 1", 5000),
	} {
		t.Run(source[:min(len(source), 40)], func(t *testing.T) {
			v, err := expr.Eval(source, expr.Names{})
			if !pysem.IsRefused(err) || !strings.HasPrefix(err.(*pysem.Error).Message, "Q231: ") {
				t.Errorf("got %T and error %v, want a refusal by Q231", v, err)
			}
		})
	}
}

// Goal: a name or attribute that reaches beyond the expression is found wherever it stands, without
// evaluating the program. Method: call Refusal for compiled programs.
func TestProgramsTellWhatWillBeRefused(t *testing.T) {
	names := expr.Names{Locals: []expr.Name{{ID: "i"}}, Module: expr.NamesOf("os", "json")}
	for _, c := range []struct{ source, want string }{
		{"i % 2 == 0", ""},
		{"nothing", ""}, // in Python this is a NameError
		{"[os for os in range(i)]", ""},
		{"False and os.getpid()", "Q230: the name os is not evaluated here"},
		{"lambda: open('x')", "Q230: the name open is not evaluated here"},
		{"[x for x in range(3) if json]", "Q230: the name json is not evaluated here"},
		{"f'{i.__class__}'", "Q230: the attribute __class__ is not evaluated here"},
		{"__import__('os')", "Q230: the name __import__ is not evaluated here"},
	} {
		p, err := expr.Compile(c.source)
		if err != nil {
			t.Fatalf("%s: %v", c.source, err)
		}
		got := ""
		if err := p.Refusal(names); err != nil {
			got = err.(*pysem.Error).Message
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.source, got, c.want)
		}
	}
}

// Goal: one evaluation does not influence the next. Method: evaluate a program with an assignment
// and a growing list twice.
func TestAProgramIsEvaluatedAnewEachTime(t *testing.T) {
	p, err := expr.Compile("(l := [i], l.append(2), l)[2]")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		v, err := p.Eval(expr.Names{Locals: []expr.Name{{ID: "i", Value: i}}})
		if err != nil || !expr.Equal(v, &expr.List{Items: []expr.Value{i, 2}}) {
			t.Errorf("got %v and error %v, want [%d, 2]", v, err, i)
		}
	}
}
