// Package sample has something for every operator.
package sample

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

const period = 60 * time.Second

const (
	red = iota
	green
)

// Words is what the functions answer, a line each.
func Words() []string {
	sum, err := add([]int{1, 2, -3, 9})
	_, refused := add(nil)
	return []string{fmt.Sprint(sum, err, refused), fmt.Sprint(between(0), between(5)), wait(2), tidy(" a ")}
}

func add(numbers []int) (int, error) {
	if len(numbers) == 0 {
		return 0, errors.New("nothing")
	}
	sum, err := 0, refuse(numbers)
	if err != nil {
		return len(numbers), err
	}
	for _, n := range numbers {
		if n < 0 {
			continue
		}
		sum += n
	}
	return sum, nil
}

func refuse(numbers []int) error {
	if numbers[0] > 9 {
		return fmt.Errorf("%d", numbers[0])
	}
	return nil
}

func between(n int) bool {
	return n > 0 &&
		n <= 5
}

func wait(times int) (text string) {
	defer func() { text += "." }()
	var b strings.Builder
	for i := 0; i < times; i++ {
		b.WriteString((period - 10*time.Second).String())
	}
	return b.String()
}

func tidy(s string) string {
	room := make([]byte, 0, len(s)+1)
	room = append(room, s...)
	return strings.TrimSpace(string(room)) + [green + 1]string{"!", "?"}[red]
}
