package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners/simrun"
)

// confValues are the values of an agent.conf that the command itself needs.
type confValues struct {
	version            int
	numShard           int // 0 when the conf does not say
	baseName, basePath string
}

// readConf reads the conf and stops at what would keep any agent from starting.
func (in *simInput) readConf(o *simOptions) error {
	data, err := os.ReadFile(o.conf)
	if err != nil {
		return fmt.Errorf("conf %s: %w", o.conf, reasonOf(err))
	}
	check := simrun.CheckConf(o.conf, data, func(path string) (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	})
	in.conf = check.Text
	if len(check.Errors) > 0 {
		return fmt.Errorf("%s", strings.Join(check.Errors, "\nmonosim: "))
	}
	in.warnings = check.Warnings
	in.values = confValues{
		version: 1, numShard: number(check.Values["num_shard"]),
		baseName: check.Values["base_name"], basePath: strings.TrimSuffix(check.Values["base_path"], "/"),
	}
	if n := number(check.Values["agent_version"]); n != 0 {
		in.values.version = n
	}
	if in.publishes() && check.Values["layout_pattern"] == "" {
		return fmt.Errorf("%s: found no layout_pattern, want the layout that an agent of version 3 loads", o.conf)
	}
	in.shards = o.shards
	if in.shards == 0 {
		in.shards = max(in.values.numShard, 1)
	}
	if in.shards < 1 {
		return fmt.Errorf("--shards: found %d, want 1 or more", in.shards)
	}
	if n := in.values.numShard; n != 0 && n != in.shards {
		return fmt.Errorf("%s: found num_shard %d, want %d as --shards says, or no num_shard (utils.py:393 asserts that they are equal)", o.conf, n, in.shards)
	}
	return nil
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
