package sim

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners/test/simrun"
)

// confValues holds the values of an agent.conf that are needed before anything runs.
type confValues struct {
	version            int
	numShard           int // 0 when the conf lacks it
	baseName, basePath string
}

// ConfError lists the mistakes in an agent.conf that keep every agent from starting, each
// as "file:line: found X, want Y".
type ConfError []string

func (e ConfError) Error() string { return strings.Join(e, "\n") }

// readConf reads the conf and fails on mistakes that would keep every agent from starting.
func (c *Cluster) readConf() error {
	o := c.options
	data, err := os.ReadFile(o.Conf)
	if err != nil {
		return fmt.Errorf("conf %s: %w", o.Conf, reasonOf(err))
	}
	check := simrun.CheckConf(o.Conf, data, func(path string) (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	})
	c.conf = check.Text
	if len(check.Errors) > 0 {
		return ConfError(check.Errors)
	}
	c.Warnings = check.Warnings
	c.values = confValues{
		version: 1, numShard: number(check.Values["num_shard"]),
		baseName: check.Values["base_name"], basePath: strings.TrimSuffix(check.Values["base_path"], "/"),
	}
	if n := number(check.Values["agent_version"]); n != 0 {
		c.values.version = n
	}
	if check.Values["bzid"] == "" {
		said := fmt.Sprintf("%s: found no bzid, want the first part of the paths of all znodes", o.Conf)
		if c.values.version == 1 {
			return ConfError{said + ", without which no agent of version 1 starts"}
		}
		c.Warnings = append(c.Warnings, said)
	}
	if c.publishes() && check.Values["layout_pattern"] == "" {
		return fmt.Errorf("%s: found no layout_pattern, want the layout that an agent of version 3 loads", o.Conf)
	}
	c.shards = o.Shards
	if c.shards == 0 {
		c.shards = max(c.values.numShard, 1)
	}
	if c.shards < 1 {
		return fmt.Errorf("--shards: found %d, want 1 or more", c.shards)
	}
	if n := c.values.numShard; n != 0 && n != c.shards {
		// utils.py:393 asserts that the conf and the environment agree.
		c.conf = numShardLine.ReplaceAllString(c.conf, "${1}"+strconv.Itoa(c.shards))
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: found num_shard %d, taken as %d, as --shards says", o.Conf, n, c.shards))
	}
	return nil
}

// numShardLine matches the line that sets num_shard; its group is all before the value.
var numShardLine = regexp.MustCompile(`(?m)^([ \t]*num_shard\b[ \t]*=?[ \t]*)[^\r\n]*`)

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
