package prefetch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/prefetch"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: queues and nested values pass the reference's own tests (prefetch_queue_test.py,
// nested_tensors_test.py). The tests of copies to a GPU are left out.

// value computes a tensor.
func value(c *worldtest.Case, s session.Session, t any) any {
	v, err := t.(*prefetch.Tensor).Eval(s)
	c.Must(err)
	return v
}

// rows evaluates a ragged tensor and returns its values and its row splits.
func rows(c *worldtest.Case, s session.Session, r any) [2]any {
	return [2]any{value(c, s, r.(*prefetch.Ragged).Values), value(c, s, r.(*prefetch.Ragged).RowSplits)}
}

func ragged(values, splits []int) *prefetch.Ragged {
	return &prefetch.Ragged{Rank: 1, Values: prefetch.Constant(values), RowSplits: prefetch.Constant(splits)}
}

func get(v any, keys ...any) any {
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			v, _ = v.(*pysem.Dict).Get(k)
		case int:
			if list, ok := v.(prefetch.Tuple); ok {
				v = list[k]
			} else {
				v = v.([]any)[k]
			}
		}
	}
	return v
}

func dict(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func want(c *worldtest.Case, what string, want, got any) {
	c.T.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		c.T.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// passThrough checks that rows of values on a device come out of a queue as they went in.
func passThrough(t *testing.T, device string, rows [][]any) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		next, s := 0, session.NewMemory()
		var tensors []any
		for i := range rows[0] {
			tensors = append(tensors, &prefetch.Tensor{Device: device, Eval: func(session.Session) (any, error) { return rows[next][i], nil }})
		}
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, tensors, 10, "q")
		c.Must(err)
		for next = range rows {
			c.Must(q.Enqueue(s))
		}
		for _, row := range rows {
			c.Must(q.Dequeue())
			for i := range row {
				want(c, "value", row[i], value(c, s, get(out, i)))
				want(c, "device", device, get(out, i).(*prefetch.Tensor).Device)
			}
		}
	})
}

func TestUpstreamGPUCompatiblePaddingFIFOQueue_testEnqueueAndDequeue(t *testing.T) {
	passThrough(t, "/device:GPU:0", [][]any{{5.0}, {10.0}, {15.0}})
}

func TestUpstreamGPUCompatiblePaddingFIFOQueue_testGPUQueueCPUTensor(t *testing.T) {
	passThrough(t, "/device:CPU:0", [][]any{{35}, {40}, {45}})
}

func TestUpstreamGPUCompatiblePaddingFIFOQueue_testMultiEnqueueAndDequeue(t *testing.T) {
	passThrough(t, "/device:GPU:0", [][]any{{5, 10.0}, {10, 20.0}, {15, 30.0}})
}

func TestUpstreamGPUCompatiblePaddingFIFOQueue_testIdentityHelper(t *testing.T) {
	passThrough(t, "/device:GPU:0", [][]any{{2}})
}

func TestUpstreamFIFOQueue_test_fifo_queue_data(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		given := prefetch.Tuple{[]any{prefetch.Constant(2.0), prefetch.Constant([]int{3, 4})}, []any{ragged([]int{2, -1, 3}, []int{0, 1, 3}), ragged([]int{1}, []int{0, 1, 1})}}
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, given, 2, "q")
		c.Must(err)
		c.Must(q.Enqueue(s))
		c.Must(q.Dequeue())
		want(c, "dense", 2.0, value(c, s, get(out, 0, 0)))
		want(c, "dense", []int{3, 4}, value(c, s, get(out, 0, 1)))
		want(c, "ragged", [2]any{[]int{2, -1, 3}, []int{0, 1, 3}}, rows(c, s, get(out, 1, 0)))
		want(c, "ragged", [2]any{[]int{1}, []int{0, 1, 1}}, rows(c, s, get(out, 1, 1)))
	})
}

func TestUpstreamFIFOQueue_test_fifo_queue_capacity(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		q := prefetch.NewFIFOQueue(c.Env.Tasks, 4, "q")
		for range 4 {
			c.Must(q.Enqueue([]any{2}))
		}
		for range 4 {
			row, err := q.Dequeue()
			c.Must(err)
			want(c, "row", []any{2}, row)
		}
	})
}

func TestUpstreamPrefetch_test_enqueue_dicts_with_queue_return(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		given := prefetch.Tuple{
			[]any{dict("a", prefetch.Constant(1.0), "b", "abc", "c", nil, "d", nil)},
			dict("a", &session.Variable{Name: "v", First: int64(5)}, "b", ragged([]int{1}, []int{0, 1})),
		}
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, given, 1, "q")
		c.Must(err)
		want(c, "text", any("abc"), get(out, 0, 0, "b"))
		want(c, "none", any(nil), get(out, 0, 0, "c"))
		want(c, "none", any(nil), get(out, 0, 0, "d"))
		c.Must(q.Enqueue(s))
		c.Must(q.Dequeue())
		want(c, "tensor", 1.0, value(c, s, get(out, 0, 0, "a")))
		kept, err := session.Get[int64](s, session.Read(get(out, 1, "a").(*session.Variable)))
		c.Must(err)
		want(c, "variable", int64(5), kept)
		want(c, "ragged", [2]any{[]int{1}, []int{0, 1}}, rows(c, s, get(out, 1, "b")))
	})
}

func TestUpstreamPrefetch_test_enqueue_dicts_with_control_flow(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, v := session.NewMemory(), 0
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, &prefetch.Tensor{Eval: func(session.Session) (any, error) {
			v++
			return 0, nil
		}}, 1, "q")
		c.Must(err)
		c.Must(q.Enqueue(s))
		c.Must(q.Dequeue())
		want(c, "tensor", 0, value(c, s, out))
		want(c, "how often it was computed", 1, v)
	})
}

func TestUpstreamPrefetch_test_enqueue_with_zero_capacity(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		given := prefetch.Tuple{[]any{dict("dense", prefetch.Constant(0))}, []any{dict("ragged", ragged([]int{0, 0, 1}, []int{0, 2, 3}))}}
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, given, 0, "q")
		c.Must(err)
		if q != nil {
			t.Error("got a queue, want none")
		}
		want(c, "dense", 0, value(c, s, get(out, 0, 0, "dense")))
		want(c, "ragged", [2]any{[]int{0, 0, 1}, []int{0, 2, 3}}, rows(c, s, get(out, 1, 0, "ragged")))
	})
}

// input returns a tensor that evaluates to 0, 1, 2 and so on. At the limit it raises an
// OutOfRangeError, as an input does at its end.
func input(limit int) *prefetch.Tensor {
	next := -1
	return &prefetch.Tensor{Eval: func(session.Session) (any, error) {
		if next++; next == limit {
			return nil, session.Raise("OutOfRangeError", "End of sequence")
		}
		return next, nil
	}}
}

func TestUpstreamPrefetch_test_estimator_prefetch(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		out, q, err := prefetch.EnqueueDicts(c.Env.Tasks, quirks.Python, []any{dict("ragged", input(20))}, 1, "q")
		c.Must(err)
		s := session.NewMemory()
		m, err := session.NewMonitored(c.Env, s, []session.Hook{&prefetch.EnqueueHook{Queue: q, Log: c.Env.Log}})
		c.Must(err)
		var got []int
		for err == nil {
			err = m.Run(func(session.Session) error {
				if err := q.Dequeue(); err != nil {
					return err
				}
				got = append(got, value(c, s, get(out, 0, "ragged")).(int))
				return nil
			})
		}
		if pysem.TypeOf(err) != "OutOfRangeError" || len(got) != 20 || got[19] != 19 {
			t.Errorf("got %v, error %v, want 0 to 19 and the end", got, err)
		}
	})
}

// added runs a number of steps, each with a function that adds its argument, or 1, to a sum. It
// returns the sum after each step.
func added(t *testing.T, async bool, steps int, args ...any) (sums []float64) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		x := 0.0
		mgr := prefetch.NewAsyncFunctionMgr(c.Env.Tasks, async)
		op, err := mgr.Add(func(args []any, _ *pysem.Dict) (prefetch.Op, error) {
			return func(s session.Session) error {
				by := 1.0
				if len(args) > 0 {
					by = value(c, s, args[0]).(float64)
				}
				x += by
				return nil
			}, nil
		}, args, nil, pysem.Opt[bool]{})
		c.Must(err)
		m, err := session.NewMonitored(c.Env, session.NewMemory(), mgr.Hooks())
		c.Must(err)
		for range steps {
			c.Must(m.Run(op))
			sums = append(sums, x)
		}
		c.Must(m.Close())
		sums = append(sums, x)
	})
	return sums
}

func TestUpstreamAsyncManager_testBasic(t *testing.T) {
	if diff := cmp.Diff([]float64{0, 1, 2}, added(t, true, 2, prefetch.Constant(1.0))); diff != "" {
		t.Errorf("sums behind two steps and the end (-want +got):\n%s", diff)
	}
}

func TestUpstreamAsyncManager_testSync(t *testing.T) {
	if diff := cmp.Diff([]float64{1, 1}, added(t, false, 1, prefetch.Constant(1.0))); diff != "" {
		t.Errorf("sums behind a step and the end (-want +got):\n%s", diff)
	}
}

func TestUpstreamAsyncManager_testEmptyInput(t *testing.T) {
	if diff := cmp.Diff([]float64{0, 1, 2}, added(t, true, 2)); diff != "" {
		t.Errorf("sums behind two steps and the end (-want +got):\n%s", diff)
	}
}

// replaced returns a nested value in which by has replaced each tensor, and the number of tensors.
func replaced(t *testing.T, given any, by func(*prefetch.Tensor) *prefetch.Tensor) (out any, count int) {
	t.Helper()
	n, err := prefetch.NewNestedTensors(quirks.Python, given)
	if err != nil {
		t.Fatal(err)
	}
	tensors := n.Tensors()
	for i := range tensors {
		tensors[i] = by(tensors[i])
	}
	out, err = n.NestedResult(tensors)
	if err != nil {
		t.Fatal(err)
	}
	return out, len(tensors)
}

func same(t *prefetch.Tensor) *prefetch.Tensor { return t }

func TestUpstreamNestedTensor_testBasic(t *testing.T) {
	zero := prefetch.Constant(0)
	given := dict("a", prefetch.Constant(1), "b", prefetch.Tuple{prefetch.Constant(1), prefetch.Constant(1)})
	out, count := replaced(t, given, func(*prefetch.Tensor) *prefetch.Tensor { return zero })
	if get(out, "a") != zero || get(out, "b", 0) != zero || get(out, "b", 1) != zero || count != 3 {
		t.Errorf("got %v of %d tensors, want zero in three places", out, count)
	}
}

func TestUpstreamNestedTensor_testConstant(t *testing.T) {
	out, count := replaced(t, dict("a", dict("b", 2)), same)
	if get(out, "a", "b") != 2 || count != 0 {
		t.Errorf("got %v of %d tensors, want the 2 and no tensor", out, count)
	}
}

func TestUpstreamNestedTensor_testRaggedTensor(t *testing.T) {
	given := ragged([]int{1, 2, 3}, []int{0, 0, 1, 3})
	out, count := replaced(t, given, same)
	if r := out.(*prefetch.Ragged); r.Values != given.Values || r.RowSplits != given.RowSplits || count != 2 {
		t.Errorf("got %v of %d tensors, want the same two", out, count)
	}
}

func TestUpstreamNestedTensor_testRaggedTensorWithPlaceHolder(t *testing.T) {
	out, _ := replaced(t, ragged([]int{1}, []int{0, 1}), func(*prefetch.Tensor) *prefetch.Tensor { return &prefetch.Tensor{} })
	if out.(*prefetch.Ragged).Values.Eval != nil {
		t.Errorf("got %v, want the place holders", out)
	}
}
