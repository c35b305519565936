package networktest

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

var callCases = []testCase{
	{"a call carries method, request and answer", func(r *trial) {
		r.serve(0, func(_ Process, method string, request []byte) ([]byte, error) {
			return append([]byte(method+" "), request...), nil
		}, func(_ Process, ch env.Channel) {
			r.call(ch, "one\x00\xff", patience)
			r.note("%s", outcome(ch.Call("/monolith.serving.Other/Do", nil, 0)))
		})
		r.want(`"/svc/Do one\x00\xff"`, `"/monolith.serving.Other/Do "`)
	}},

	{"requests and answers may be empty", func(r *trial) {
		r.serve(0, func(_ Process, _ string, request []byte) ([]byte, error) {
			r.note("%d bytes", len(request))
			return nil, nil
		}, func(_ Process, ch env.Channel) { r.call(ch, "", patience) })
		r.want("0 bytes", `""`)
	}},

	{"what a handler returns becomes a status", func(r *trial) {
		raised := []struct {
			name string
			err  error
		}{
			{"unknown method", &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}},
			{"handler gives a status", fmt.Errorf("wrapped: %w", &env.RPCError{Code: rpcerrors.NotFound, Message: "no such model"})},
			{"handler raises", errors.New("boom")},
			{"handler raises without a text", errors.New("")},
			{"handler raises beyond ASCII", errors.New("模型 100%\n")},
		}
		r.serve(0, func(_ Process, _ string, request []byte) ([]byte, error) {
			return nil, raised[request[0]].err
		}, func(_ Process, ch env.Channel) {
			for i, c := range raised {
				_, err := ch.Call(method, []byte{byte(i)}, patience)
				if err == nil || err.Error() != r.recorded(c.name) {
					r.Errorf("%s: got %v, want %s", c.name, err, r.recorded(c.name))
				}
			}
		})
	}},

	{"messages may have up to 4 MiB", func(r *trial) {
		r.serve(0, func(_ Process, _ string, request []byte) ([]byte, error) {
			if len(request) > 8 {
				return request[:1], nil
			}
			var size int
			if _, err := fmt.Sscan(string(request), &size); err != nil {
				return nil, err
			}
			return make([]byte, size), nil
		}, func(_ Process, ch env.Channel) {
			size := func(answer []byte, err error) string {
				if err != nil {
					return err.Error()
				}
				return fmt.Sprint(len(answer))
			}
			r.note("%s", size(ch.Call(method, make([]byte, env.MaxMessageBytes), patience)))
			r.note("%s", size(ch.Call(method, make([]byte, env.MaxMessageBytes+1), patience)))
			r.note("%s", size(ch.Call(method, fmt.Append(nil, env.MaxMessageBytes), patience)))
			r.note("%s", size(ch.Call(method, fmt.Append(nil, env.MaxMessageBytes+1), patience)))
		})
		r.want("1", r.recorded("request too large"), fmt.Sprint(env.MaxMessageBytes), r.recorded("answer too large"))
	}},

	{"at most so many requests run as there are workers", func(r *trial) {
		const workers, calls = 2, 6
		running, most := 0, 0
		r.serve(workers, func(s Process, _ string, request []byte) ([]byte, error) {
			running++
			most = max(most, running)
			await(s, func() bool { return most >= workers })
			s.Sleep(5 * ms) // time in which a call too many would arrive
			running--
			return request, nil
		}, func(c Process, ch env.Channel) {
			var tasks []env.Task
			for i := range calls {
				tasks = append(tasks, c.Go("caller", func() {
					if answer, err := ch.Call(method, []byte{byte(i)}, patience); err != nil || answer[0] != byte(i) {
						r.Errorf("call %d: answer %v, error %v", i, answer, err)
					}
				}))
			}
			for _, t := range tasks {
				t.Join()
			}
		})
		if most != workers {
			r.Errorf("%d requests ran at a time, want %d", most, workers)
		}
	}},

	{"a call that is given up in the queue does not run", func(r *trial) {
		var entered, leave atomic.Bool
		r.serve(1, func(s Process, _ string, request []byte) ([]byte, error) {
			r.note("run %s", request)
			entered.Store(true)
			await(s, leave.Load)
			return request, nil
		}, func(c Process, ch env.Channel) {
			first := c.Go("first", func() { r.call(ch, "1", patience) })
			await(c, entered.Load)
			r.call(ch, "2", 50*ms)
			c.Sleep(50 * ms) // time for the server to learn that the call was given up
			leave.Store(true)
			first.Join()
			r.call(ch, "3", patience)
		})
		r.want("run 1", r.recorded("deadline"), `"1"`, "run 3", `"3"`)
	}},

	{"requests never interleave between env calls", func(r *trial) {
		const calls = 50
		counter := 0
		r.serve(0, func(s Process, _ string, request []byte) ([]byte, error) {
			seen := counter
			runtime.Gosched() // gives another task the chance to interfere
			counter = seen + 1
			s.Sleep(0)
			return request, nil
		}, func(c Process, ch env.Channel) {
			var tasks []env.Task
			for range calls {
				tasks = append(tasks, c.Go("caller", func() {
					if _, err := ch.Call(method, nil, patience); err != nil {
						r.Error(err)
					}
				}))
			}
			for _, t := range tasks {
				t.Join()
			}
		})
		if counter != calls {
			r.Errorf("counted %d, want %d: increments were torn", counter, calls)
		}
	}},

	{"other tasks run during a call", func(r *trial) {
		var told atomic.Bool
		r.serve(0, func(s Process, _ string, request []byte) ([]byte, error) {
			await(s, told.Load)
			return request, nil
		}, func(c Process, ch env.Channel) {
			c.Go("other", func() { told.Store(true) })
			r.call(ch, "x", patience)
		})
		r.want(`"x"`)
	}},

	{"a process may call itself", func(r *trial) {
		r.client(func(c Process) {
			server, err := c.Network().Serve(0, 1, func(_ string, request []byte) ([]byte, error) { return request, nil })
			if err != nil {
				r.Error(err)
				return
			}
			ch := c.Network().Dial(fmt.Sprintf("127.0.0.1:%d", server.Port()))
			r.call(ch, "me", patience)
			ch.Close()
			server.Stop()
		})
		r.want(`"me"`)
	}},
}
