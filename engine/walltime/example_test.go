package walltime_test

import (
	"context"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/walltime"
)

// One of two tasks of a process makes a call to the outside world. During that call the other task
// runs.
func Example() {
	w := walltime.New(walltime.Config{Seed: 1})
	defer w.Close()
	p := w.NewProcess("host", "program")
	answer := make(chan string, 1)
	p.Go("caller", func() {
		var text string
		p.Block(func(ctx context.Context) {
			select {
			case text = <-answer:
			case <-ctx.Done():
			}
		})
		fmt.Println("caller:", text)
	})
	p.Go("other", func() {
		p.Sleep(time.Millisecond)
		fmt.Println("other: runs meanwhile")
		answer <- "the world's answer"
	})
	fmt.Println(w.Wait(context.Background()))

	// Output:
	// other: runs meanwhile
	// caller: the world's answer
	// <nil>
}
