package steps

import (
	"fmt"
	"strings"
)

// conf is an agent.conf in the making: settings in the order of the file.
type conf []setting

type setting struct{ key, value string }

// The configurations from which scenarios start. That of v1 has the values of
// the reference's own agent.conf, but for num_shard, which must equal the
// environment's (Q159), and for the layout filters, which only v3 reads.
const (
	confV3 = `
bzid gip
deploy_type unified
agent_version 3
base_name ctr
base_path /models/ctr
layout_pattern main
zk_servers zookeeper:2181
`
	confV1 = `
bzid predict_ctr
base_name predict_ctr
base_path /models/predict_ctr
num_ps 2
server_type entry
zk_servers zookeeper:2181
max_waiting_sec 600
agent_version 1
stand_alone_serving true
update_model_status_interval 10
enable_batching false
tensorflow_session_parallelism 0
tensorflow_intra_op_parallelism 0
tensorflow_inter_op_parallelism 0
per_process_gpu_memory_fraction 0
num_load_threads 0
num_unload_threads 0
max_num_load_retries 5
load_retry_interval_micros 60 * 1000 * 1000
file_system_poll_wait_seconds 1
file_system_poll_wait_seconds_ps 0
flush_filesystem_caches true
saved_model_tags none
grpc_channel_arguments none
grpc_max_threads 0
enable_model_warmup true
enable_signature_method_name_check false
xla_cpu_compilation_enabled false
enable_profiler true
dc_aware false
`
)

func parseConf(text string) conf {
	var c conf
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			c = append(c, setting{key, value})
		}
	}
	return c
}

func (c conf) text() string {
	var b strings.Builder
	for _, s := range c {
		fmt.Fprintf(&b, "%s %s\n", s.key, s.value)
	}
	return b.String()
}

func (c conf) get(key string) string {
	for _, s := range c {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

func (c *conf) set(key, value string) {
	for i := range *c {
		if (*c)[i].key == key {
			(*c)[i].value = value
			return
		}
	}
	*c = append(*c, setting{key, value})
}

func (c *conf) remove(key string) {
	var kept conf
	for _, s := range *c {
		if s.key != key {
			kept = append(kept, s)
		}
	}
	*c = kept
}

func (w *World) setSetting(key, value string) error {
	w.conf.set(key, value)
	return nil
}

// addSetting gives a key one more line.
func (w *World) addSetting(key, value string) error {
	w.conf = append(w.conf, setting{key, value})
	return nil
}

func (w *World) removeSetting(key string) error {
	w.conf.remove(key)
	return nil
}

func (w *World) bzid() string { return w.conf.get("bzid") }
