package agentconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: the message about a mistyped configuration says where the mistake is and what to write
// instead. Method: files with one mistake each.
func TestCheckConfTellsWhereAndWhatToWrite(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"nothing wrong", "deploy_type ps\nnum_ps 2*3\n# c\ndc_aware yes\n", nil},
		{"unknown deploy type", "deploy_type pss\n", []string{
			`a.conf:1: found deploy_type "pss", want one of entry, ps, dense, mixed, unified, none`}},
		{"unknown server type", "server_type entri\n", []string{
			`a.conf:1: found server_type "entri", want one of entry, ps, dense, mixed, unified`}},
		{"no deploy type", "num_ps 1\n", []string{
			`a.conf: found no deploy_type, want one of entry, ps, dense, mixed, unified`}},
		{"deploy type may be included", "include b.conf\n", nil},
		{"stand alone needs no deploy type", "stand_alone_serving true\n", nil},
		{"unparsable number", "deploy_type ps\nnum_ps three\n", []string{
			`a.conf:2: found num_ps "three", want a number, or a plain expression of numbers`}},
		{"unparsable float", "deploy_type ps\nper_process_gpu_memory_fraction 0,5x\n", []string{
			`a.conf:2: found per_process_gpu_memory_fraction "0,5x", want a number, or a plain expression of numbers`}},
		{"bad bool word", "deploy_type ps\ndc_aware on\n", []string{
			`a.conf:2: found dc_aware "on", want one of true, y, t, yes, 1, false, n, f, no, 0`}},
		{"unknown key with a near one", "deploy_type ps\nnum_pss 1\n", []string{
			`a.conf:2: found the unknown key "num_pss", want num_ps`}},
		{"unknown key like none", "deploy_type ps\nabracadabra 1\n", []string{
			`a.conf:2: found the unknown key "abracadabra", want a known key`}},
		{"key without value", "deploy_type ps\nnum_ps\n", []string{
			`a.conf:2: found "num_ps" without a value, want key = value`}},
		{"empty value", "deploy_type ps\nnum_ps =\n", []string{
			`a.conf:2: found num_ps without a value, want a value, or no such line`}},
		{"inline comment", "deploy_type ps\ndc_aware false # c\n", []string{
			`a.conf:2: found "false " with the blank before its comment (Q153), want "false" on a line without comment`}},
		{"duplicate", "deploy_type ps\nnum_ps 1\nnum_ps 2\n", []string{
			`a.conf:3: found num_ps again (first in line 2), which drops both (Q156), want it once`}},
		{"third filter", "deploy_type ps\nlayout_filters a\nlayout_filters b\nlayout_filters c\n", []string{
			`a.conf:4: found a third layout_filters, which is dropped (Q152), want at most two`}},
		{"filter without condition in v3", "deploy_type unified\nagent_version 3\nlayout_filters ps_0\n", []string{
			`a.conf:3: found the filter "ps_0" without ";" (Q22), want <pattern>;<condition>, as ps_{i};i % 2 == 0`}},
		{"filter without condition in v1", "deploy_type ps\nlayout_filters ps_0\n", nil},
		{"filter in order", "deploy_type unified\nagent_version 3\nlayout_filters ps_{i};i % ${shard_num} == ${shard_id}\n", nil},
		{"filter with a wrong name", "deploy_type unified\nagent_version 3\nlayout_filters ps_{i};j == 0\n", []string{
			`a.conf:3: found the filter condition "j == 0" (NameError: name 'j' is not defined), want a condition on the pattern's names`}},
		{"filter with a wrong pattern", "deploy_type unified\nagent_version 3\nlayout_filters ps_{1};True\n", []string{
			`a.conf:3: found the filter pattern "ps_{1}" (error: bad character in group name '1' at position 7), want a regular expression with {name} for numbers`}},
		{"v3 without unified", "deploy_type ps\nagent_version 3\n", []string{
			`a.conf:1: found deploy_type "ps" with agent_version 3, want unified`}},
		{"agent version 2", "deploy_type ps\nagent_version 2\n", []string{
			`a.conf:2: found agent_version "2", want one of 1, 3`}},
		{"key read as include", "deploy_type ps\ninclude_path x\n", []string{
			`a.conf:2: found the key "include_path", which is read as an include of "x" (Q157), want include <path>`}},
		{"not UTF-8", "deploy_type \xff\n", []string{`a.conf: found bytes that are not UTF-8, want UTF-8 text`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range CheckConf("a.conf", []byte(c.content)) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
