package steps

import (
	"fmt"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// pods returns the pods that a text names: "every pod", "no pod", or a list.
func (w *World) pods(text string) []string {
	switch text {
	case "no pod":
		return nil
	case "every pod":
		return lists.MapOrNil(w.cluster.Pods(), func(p runners.Pod) string { return p.Name })
	}
	return list(text)
}

func (w *World) startPod(pod string) error { return w.cluster.StartPod(pod) }

// eachPod makes a check that fn holds for the state of each named pod.
func (w *World) eachPod(pods string, fn func(pod string, s runners.PodState) error) check {
	return func() error {
		for _, pod := range w.pods(pods) {
			s, err := w.cluster.PodState(pod)
			if err != nil {
				return err
			}
			if err := fn(pod, s); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *World) podsRun(pods string) check {
	return w.eachPod(pods, func(pod string, s runners.PodState) error {
		if !s.Running {
			return differ("agent of "+pod, "running", describe(s))
		}
		return nil
	})
}

func (w *World) podsEnded(pods string) check {
	return w.eachPod(pods, func(pod string, s runners.PodState) error {
		if s.Running || s.Starts == 0 {
			return differ("agent of "+pod, "ended", describe(s))
		}
		return nil
	})
}

func (w *World) podEndedWith(pod string, code int) check {
	return w.eachPod(pod, func(pod string, s runners.PodState) error {
		if s.Running || s.Starts == 0 || s.ExitCode != code {
			err := differ("agent of "+pod, fmt.Sprintf("ended with %d", code), describe(s))
			if ended := !s.Running && s.Starts > 0; ended && s.ExitCode != raisedCode && s.ExitCode != killedCode {
				return undelayed{err} // a delay can be why an agent raises or kills itself, and nothing else
			}
			return err
		}
		return nil
	})
}

// Exit codes of an agent that raises an exception, and of one that kills itself with SIGKILL.
const (
	raisedCode = 1
	killedCode = -9
)

func describe(s runners.PodState) string {
	switch {
	case s.Running:
		return "running"
	case s.Starts == 0:
		return "never started"
	}
	return fmt.Sprintf("ended with %d", s.ExitCode)
}

func (w *World) podStarted(pod string, times int) check {
	return w.eachPod(pod, func(pod string, s runners.PodState) error {
		if s.Starts != times {
			return differ("starts of "+pod, times, s.Starts)
		}
		return nil
	})
}

func (w *World) runsModelServers(pod string, n int) check {
	return w.eachPod(pod, func(pod string, s runners.PodState) error {
		if len(s.ModelServers) != n {
			return differ("model servers of "+pod, n, len(s.ModelServers))
		}
		return nil
	})
}
