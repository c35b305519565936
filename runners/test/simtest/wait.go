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

// Within waits until check returns nil, for no longer than limit of cluster time. It calls check
// repeatedly while time passes, on the test's goroutine. The error of check should say what was
// wanted and what was found. After limit, the test ends with a message that gives the text what and
// the last error. runners.Within says how often check is called.
func (c *Cluster) Within(limit time.Duration, what string, check func() error) {
	c.tb.Helper()
	c.waited(runners.Within(c.cluster, limit, named(what, check)))
}

// Throughout lets as much cluster time pass as length says, and ends the test if check returns an
// error in that time. It calls check as often as Within does.
func (c *Cluster) Throughout(length time.Duration, what string, check func() error) {
	c.tb.Helper()
	c.waited(runners.Throughout(c.cluster, length, named(what, check)))
}

// waited ends the test if a wait failed. The error of a wait contains the cluster time
// already.
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

// True converts a condition to a check for Within and Throughout.
func True(so func() bool) func() error {
	return func() error {
		if !so() {
			return errors.New("it is not so")
		}
		return nil
	}
}

// Listed returns a check that every running agent lists key on exactly the given pods, or on
// all pods of the cluster if none are given. key is "ctr:entry" for agents of version 3,
// "ps:0" for version 1.
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

// Unlisted returns a check that no running agent lists key on any pod.
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

// everyAgent returns a check that calls the function look for each running agent. The check fails
// if no agent runs.
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

// Available returns a check that on each of the given pods a model server has the version of
// a servable in state AVAILABLE. Without pods it checks all pods. servable is "ctr:entry"
// for agents of version 3, "ps_0" for version 1.
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
