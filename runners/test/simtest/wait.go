package simtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// Within waits until check returns nil, for limit of cluster time at most. It calls check now and
// again while time passes, on the test's goroutine. check may ask the cluster anything; its error
// says what was wanted and what was found. If the limit passes the test ends, with a message of
// what and the last error. See runners.Within for how often it looks.
func (c *Cluster) Within(limit time.Duration, what string, check func() error) {
	c.tb.Helper()
	c.waited(runners.Within(c.cluster, limit, named(what, check)))
}

// Throughout wants check to return nil now and all the time until length of cluster time
// has passed. Otherwise it is as Within.
func (c *Cluster) Throughout(length time.Duration, what string, check func() error) {
	c.tb.Helper()
	c.waited(runners.Throughout(c.cluster, length, named(what, check)))
}

// waited ends the test with the error of a wait, which names the time already.
func (c *Cluster) waited(err error) {
	c.tb.Helper()
	if errors.Is(err, runners.ErrUnsupported) || err == nil || c.cluster.Failure() != "" {
		c.Must(err)
		return
	}
	c.fail(err)
}

func named(what string, check func() error) func() error {
	return func() error {
		if err := check(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
}

// True makes a check for Within and Throughout of a condition.
func True(so func() bool) func() error {
	return func() error {
		if !so() {
			return errors.New("it is not so")
		}
		return nil
	}
}

// Listed makes a check that every running agent lists key on exactly these pods, or without pods
// on all pods of the cluster. key is "ctr:entry" for agents of version 3, "ps:0" for version 1.
func (c *Cluster) Listed(key string, pods ...string) func() error {
	want := slices.Sorted(slices.Values(pods))
	if len(pods) == 0 {
		want = slices.Sorted(slices.Values(c.podNames()))
	}
	return c.everyAgent(func(agent string) error {
		got, err := runners.ListedOn(c.cluster, agent, key)
		if err != nil {
			return fmt.Errorf("HeartBeat of %s: %s, want %v, got %w", agent, key, want, err)
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("HeartBeat of %s: %s, want %v, got %v", agent, key, want, got)
		}
		return nil
	})
}

// Unlisted makes a check that no running agent lists key on any pod.
func (c *Cluster) Unlisted(key string) func() error {
	return c.everyAgent(func(agent string) error {
		got, err := runners.ListedOn(c.cluster, agent, key)
		if err != nil {
			return fmt.Errorf("HeartBeat of %s: %s, want nothing, got %w", agent, key, err)
		}
		if len(got) > 0 {
			return fmt.Errorf("HeartBeat of %s: %s, want nothing, got %v", agent, key, got)
		}
		return nil
	})
}

// everyAgent makes a check of each running agent; without one it fails.
func (c *Cluster) everyAgent(look func(pod string) error) func() error {
	return func() error {
		seen := 0
		for _, pod := range c.podNames() {
			state, err := c.cluster.PodState(pod)
			if err != nil {
				return err
			}
			if !state.Running {
				continue
			}
			seen++
			if err := look(pod); err != nil {
				return err
			}
		}
		if seen == 0 {
			return errors.New("agents, want some running, got none")
		}
		return nil
	}
}

// Available makes a check that a model server of each of these pods, or without pods of
// every pod, has the version of a servable in the state AVAILABLE. servable is "ctr:entry"
// under agents of version 3, "ps_0" under version 1.
func (c *Cluster) Available(servable string, version int64, pods ...string) func() error {
	if len(pods) == 0 {
		pods = c.podNames()
	}
	return func() error {
		for _, pod := range pods {
			if err := c.available(pod, servable, version); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c *Cluster) available(pod, servable string, version int64) error {
	state, err := c.cluster.PodState(pod)
	if err != nil {
		return err
	}
	var got []string
	for _, s := range state.ModelServers {
		versions, err := c.cluster.ModelStatus(pod, s.Kind, servable)
		if err != nil {
			got = append(got, err.Error())
		}
		for _, v := range versions {
			if v.Version == version && v.State == env.StateAvailable {
				return nil
			}
			got = append(got, v.String())
		}
	}
	if state.ModelServers == nil {
		got = []string{"no model server"}
	}
	return fmt.Errorf("pod %s: %s, want version %d AVAILABLE, got %s", pod, servable, version, strings.Join(got, ", "))
}
