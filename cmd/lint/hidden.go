package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// hidden forbids, in deterministic packages, everything that does not follow from the seed: clocks,
// goroutines, channels, locks, random streams, the host. Two runs with the same seed must have the
// same events.
//
// Test files may read files of the host, such as golden files. The comment //lint:hidden with a
// reason exempts a line.
var hidden = &analysis.Analyzer{
	Name: "hidden",
	Doc:  "deterministic rooms use no clock, goroutine, channel, lock, random stream or host",
	Run:  runHidden,
}

// hiddenImport is a forbidden package or, with "/...", a forbidden tree of packages.
type hiddenImport struct {
	path    string
	instead string
	but     []string // packages that may import it nevertheless
	inTests bool     // whether test files may import it
}

// hiddenImports is searched from the top, and the first match decides. An entry whose instead field
// is "" allows its package, even if a later entry forbids the tree that contains the package.
var hiddenImports = []hiddenImport{
	{path: "net/netip"},
	{path: "net/url"},
	{path: "net/...", instead: "call through env.Network"},

	{path: "os/...", instead: "use env.Files, env.Host or env.Processes", inTests: true},
	{path: "io/ioutil", instead: "use env.Files"},
	{path: "path/filepath", instead: "use path: env.Files has slashes on every host", inTests: true},
	{path: "syscall", instead: "use env.Processes"},
	{path: "log/...", instead: "use env.Log"},

	{path: "sync/...", instead: "use engine/pysem/threading: one task of a process runs at a time", but: commonRooms},
	{path: "golang.org/x/sync/...", instead: "use engine/pysem/threading"},
	{path: "runtime/...", instead: "leave the scheduler and the heap to engine/vtime",
		but: runtimeRooms, inTests: true},

	{path: "crypto/rand", instead: "draw from env.Random"},
	{path: "hash/maphash", instead: "use a hash without a random seed, such as hash/fnv", but: commonRooms},
}

// hiddenName is a forbidden function, method or variable.
type hiddenName struct {
	instead string
	but     []string // packages that may use it nevertheless
}

// hiddenNames maps the full name of a function, as types.Func.FullName writes it, to the rule for
// it.
var hiddenNames = map[string]hiddenName{
	"time.Now":          {instead: "use env.Clock.Now"},
	"time.Since":        {instead: "subtract from env.Clock.Elapsed"},
	"time.Until":        {instead: "subtract from env.Clock.Elapsed"},
	"time.Sleep":        {instead: "use env.Tasks.Sleep"},
	"time.After":        {instead: "use env.Cond.WaitFor"},
	"time.AfterFunc":    {instead: "start a task that sleeps"},
	"time.Tick":         {instead: "use env.Tasks.Every"},
	"time.NewTimer":     {instead: "use env.Cond.WaitFor"},
	"time.NewTicker":    {instead: "use env.Tasks.Every"},
	"time.Local":        {instead: "use time.UTC: the host's zone is not part of the seed"},
	"(time.Time).Local": {instead: "use UTC: the host's zone is not part of the seed"},
	"time.LoadLocation": {instead: "use time.UTC: the host's zones are not part of the seed"},

	"context.WithTimeout":       {instead: "give the env call its timeout"},
	"context.WithTimeoutCause":  {instead: "give the env call its timeout"},
	"context.WithDeadline":      {instead: "give the env call its timeout"},
	"context.WithDeadlineCause": {instead: "give the env call its timeout"},
	"context.AfterFunc":         {instead: "start a task with env.Tasks.Go"},

	"iter.Pull":  {instead: "start a task with env.Tasks.Go", but: []string{"engine/vtime/..."}},
	"iter.Pull2": {instead: "start a task with env.Tasks.Go", but: []string{"engine/vtime/..."}},

	"(reflect.Value).MapKeys":  {instead: "sort the keys of a typed map"},
	"(reflect.Value).MapRange": {instead: "sort the keys of a typed map"},
}

// seededRand lists the functions of math/rand that test files may use, because they make a random
// stream from a stated seed. The package's other functions share one stream, so an edit anywhere
// changes what they return.
var seededRand = map[string]bool{
	"New": true, "NewSource": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true,
}

// commonRooms lists packages with data that several worlds share, although each world runs on its
// own goroutine. These packages are exempt because a lookup returns an equal value whichever world
// looks first, and no order depends on a hash.
var commonRooms = []string{"engine/pysem/dict"}

// runtimeRooms lists the packages that switch between tasks and unwind them.
var runtimeRooms = []string{"engine/vtime/...", "engine/tasks"}

// runtimeNames lists what the packages in runtimeRooms may use of package runtime. Goexit is needed
// because t.FailNow inside a task has to reach the engine. The stack is the only way to tell that a
// task runs where it should not.
var runtimeNames = map[string]bool{
	"Goexit": true, "Stack": true, "Caller": true, "Callers": true, "CallersFrames": true,
}

func runHidden(pass *analysis.Pass) (any, error) {
	if !deterministic(pass.Pkg.Path()) {
		return nil, nil
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		c := &hiddenCheck{pass: pass, excuses: excusesIn(pass, file, "hidden"), test: isTest(pass, file)}
		c.room, _ = roomOf(strings.TrimSuffix(pass.Pkg.Path(), "_test"))
		for _, spec := range file.Imports {
			c.importSpec(spec)
		}
		ast.Inspect(file, c.node)
		c.excuses.finish()
	}
	return nil, nil
}

// hiddenCheck checks one file.
type hiddenCheck struct {
	pass    *analysis.Pass
	excuses *excuses
	room    string
	test    bool
}

func (c *hiddenCheck) report(pos token.Pos, what, instead string) {
	if c.test && c.excuses.excused(pos) {
		return
	}
	c.pass.Reportf(pos, "%s in deterministic room %s: %s", what, c.room, instead)
}

func (c *hiddenCheck) importSpec(spec *ast.ImportSpec) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return // the file does not parse; the loader reports that
	}
	for _, h := range hiddenImports {
		if !match(h.path, path) {
			continue
		}
		if h.instead != "" && !(h.inTests && c.test) && !matchAny(h.but, c.room) {
			c.report(spec.Pos(), "import of "+path, h.instead)
		}
		return
	}
}

func (c *hiddenCheck) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		c.use(n)
	case *ast.GoStmt:
		c.report(n.Pos(), "go statement", "start a task with env.Tasks.Go")
	case *ast.SelectStmt:
		c.report(n.Pos(), "select", "wait on an env.Cond")
	case *ast.ChanType:
		c.report(n.Pos(), "channel type", "wait on an env.Cond, or use a queue of engine/pysem/threading")
	case *ast.SendStmt:
		c.report(n.Arrow, "channel send", "use a queue of engine/pysem/threading")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.report(n.OpPos, "channel receive", "use a queue of engine/pysem/threading")
		}
	case *ast.RangeStmt:
		if c.isChannel(n.X) {
			c.report(n.Pos(), "range over a channel", "use a queue of engine/pysem/threading")
		}
	case *ast.CallExpr:
		if builtinName(c.pass, n) == "close" {
			c.report(n.Pos(), "close of a channel", "broadcast an env.Cond")
		}
	}
	return true
}

// use checks a name wherever it appears, not only where it is called: a stored time.Now is a clock
// as well.
func (c *hiddenCheck) use(id *ast.Ident) {
	obj := c.pass.TypesInfo.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	name := obj.Pkg().Path() + "." + obj.Name()
	fn, isFunc := obj.(*types.Func)
	if isFunc {
		name = fn.FullName()
	} else if v, ok := obj.(*types.Var); !ok || v.IsField() || v.Parent() != obj.Pkg().Scope() {
		return
	}
	if h, ok := hiddenNames[name]; ok && !matchAny(h.but, c.room) {
		// A test that sleeps is reported by the rule testsleep instead.
		if !(c.test && name == "time.Sleep") {
			c.report(id.Pos(), name, h.instead)
		}
		return
	}
	if !isFunc || fn.Signature().Recv() != nil {
		return
	}
	switch obj.Pkg().Path() {
	case "math/rand", "math/rand/v2":
		if !(c.test && seededRand[obj.Name()]) {
			c.report(id.Pos(), name, "draw from env.Random: choices come from the engine")
		}
	case "runtime":
		// In other packages the import of runtime is itself a finding, so the name is not reported.
		if !c.test && matchAny(runtimeRooms, c.room) && !runtimeNames[obj.Name()] {
			c.report(id.Pos(), name, "Goexit and the own stack are all that is known to be safe here")
		}
	}
}

func (c *hiddenCheck) isChannel(e ast.Expr) bool {
	t := c.pass.TypesInfo.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// builtinName returns the name of the builtin function that is called. It returns "" for any other
// call.
func builtinName(pass *analysis.Pass, call *ast.CallExpr) string {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if _, ok := pass.TypesInfo.Uses[id].(*types.Builtin); !ok {
		return ""
	}
	return id.Name
}
