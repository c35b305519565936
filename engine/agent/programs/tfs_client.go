package programs

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/pysem"
)

// tfsClient runs tfs_client.py: it calls a model server, sends it a configuration, or measures it.
// The reference's program fails at its first call (Q67).
func (p *process) tfsClient() error {
	if err := p.noHostIP(); err != nil {
		return err
	}
	o := p.tfsOptions()
	answer, err := clients.RunTFSClient(p.Env, o)
	if answer.Targets == nil {
		p.wantConf()
	}
	p.trying("the model server at "+strings.Join(answer.Targets, ","), "is one running there? --target names another, as 127.0.0.1:8500")
	if err != nil {
		return err
	}
	exit, printed, err := answer.Ended(o)
	p.printed.WriteString(printed)
	p.failed = exit != 0
	if f := answer.Profile; f != nil {
		p.result = pysem.DictOf("count", f.Count, "average_ms", f.AverageMs, "p99_ms", f.P99Ms, "calls_per_second", f.CallsPerSecond)
	} else {
		p.result = answer.Message(o.Cmd)
	}
	return err
}

// tfsOptions returns the options that the flags set.
func (p *process) tfsOptions() clients.TFSClientOptions {
	o := clients.DefaultTFSClientOptions()
	text := func(name string) string { return p.flags.Text(name).V }
	o.Conf, o.Cmd, o.Signature, o.Target = text("conf"), text("cmd_type"), text("signature_name"), text("target")
	o.ModelName, o.InputFile, o.DataDir = p.flags.Text("model_name"), p.flags.Text("input_file"), p.flags.Text("profile_data_dir")
	o.InputType, o.FileType = text("input_type"), text("file_type")
	o.BatchSize, o.Threads = p.flags.Int("batch_size"), p.flags.Int("parallel_num")
	o.Duration = time.Duration(p.flags.Int("profile_duration")) * time.Second
	o.Framing = clients.StreamFraming{
		LagrangexHeader: p.flags.Bool("lagrangex_header"), HasSortID: p.flags.Bool("has_sort_id"),
		KafkaDump: p.flags.Bool("kafka_dump"), KafkaDumpPrefix: p.flags.Bool("kafka_dump_prefix"),
	}
	o.Quirks = p.options.Quirks
	return o
}
