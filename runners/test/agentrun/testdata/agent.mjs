// An agent of version 3 in JavaScript, written from runners/diff/testee/AGENT.md and the scenarios alone.
//
//     monosim test builtin: --tags @v3 --runner agent --agent 'node agent.mjs' --agent-waits
//
// FAULT in the environment makes it a copy with one fault, for the tests of the report: persistent (bindings do not live as the
// session), eager (service info every 30 s), first (HeartBeat has only the first address of each list),
// deaf (SIGTERM and SIGINT end nothing), two (an exception has the exit code 2).
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { NODE_EXISTS, NO_NODE, ZooKeeper } from './zookeeper.mjs';
import { RPCError, call, fields, float, number, part, serve } from './grpc.mjs';

const env = process.env, fault = env.FAULT;
const ip = env.MONOSIM_IP, home = env.MONOSIM_HOME, wall = (ms) => ms / Number(env.MONOSIM_SPEED ?? 1);
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, wall(ms)); });
const log = (...words) => console.error(new Date().toISOString(), ...words);
const AVAILABLE = 30n, SECOND = 1000;

function raise(message) { throw new Error(message); }

// ---- the configuration

// The settings of the model server that a command line has where they differ from these defaults.
const SERVING = {
  enable_batching: false, allow_version_labels_for_unavailable_models: false, batching_parameters_file: null, num_load_threads: 0,
  num_unload_threads: 0, max_num_load_retries: 5, load_retry_interval_micros: 60000000, file_system_poll_wait_seconds: 1,
  flush_filesystem_caches: true, tensorflow_session_parallelism: 0, tensorflow_intra_op_parallelism: 0, tensorflow_inter_op_parallelism: 0,
  ssl_config_file: null, platform_config_file: null, per_process_gpu_memory_fraction: 0, allow_growth: true, saved_model_tags: null,
  grpc_channel_arguments: null, grpc_max_threads: 0, enable_model_warmup: true, version: null,
  remove_unused_fields_from_bundle_metagraph: true, enable_signature_method_name_check: false, xla_cpu_compilation_enabled: false,
  enable_profiler: true,
};
const AGENT = {
  bzid: null, deploy_type: null, stand_alone_serving: false, num_shard: 0, agent_version: 1, agent_port: 0, zk_servers: null,
  layout_pattern: null, layout_filters: [],
};

// settings reads a file of settings: each name with the list of its values.
function settings(file, found = {}) {
  if (!fs.existsSync(file)) return found;
  for (let line of fs.readFileSync(file, 'utf8').split('\n')) {
    line = line.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.indexOf('#') > 0) line = line.slice(0, line.indexOf('#'));
    if (line.startsWith('include')) { settings(line.trim().split(/\s+/).at(-1), found); continue; }
    const m = /^(.*?)[ =\t]+(.*)$/s.exec(line);
    if (m && (m[2] !== '' || m[1] in found)) (found[m[1]] ??= []).push(m[2]);
  }
  return found;
}

// convert gives a setting the type of its default. What cannot be converted stays as the default is.
function convert(values, unset) {
  const text = values.at(-1);
  if (Array.isArray(unset)) return values.slice(0, 2); // the third is dropped
  if (values.length > 1) return unset;
  if (unset === null) return text.toLowerCase() === 'none' ? null : text;
  if (typeof unset === 'boolean') return !/^(false|n|f|no|0)$/i.test(text); // any other word is true
  if (!/^[\d\s*+().-]+$/.test(text)) return unset;
  return Math.trunc(Function(`return ${text}`)());
}

function readConf(file) {
  const found = settings(file), conf = {};
  for (const [key, unset] of Object.entries({ ...SERVING, ...AGENT })) conf[key] = found[key] ? convert(found[key], unset) : unset;
  conf.deploy_type = (conf.deploy_type ?? found.server_type?.at(-1))?.toLowerCase();
  const shards = Number(env.MONOLITH_HOST_SHARD_N ?? 1);
  if (conf.num_shard && conf.num_shard !== shards) raise('num_shard is not that of the environment');
  if (conf.stand_alone_serving || conf.deploy_type !== 'unified') raise('agent v3 only supports unifed deploy_type');
  if (conf.agent_version !== 3) raise(`agent_version error ${conf.agent_version}`);
  const shard = Number(env.SHARD_ID ?? -1);
  conf.filters = conf.layout_filters.map((raw) => {
    const [match, ...cond] = raw.replaceAll('${shard_id}', Math.max(shard, 0)).replaceAll('${shard_num}', Math.max(conf.num_shard || shards, 1)).split(';');
    if (cond.length === 0) raise('a layout filter without a condition');
    return [match.replace(/\{(.*?)\}/g, '(?P<$1>\\d+)'), cond.join(';')];
  });
  let replica = Number(env.REPLICA_ID ?? -1);
  if (replica === -1 && env.MY_POD_NAME !== undefined) replica = parseInt(createHash('md5').update(env.MY_POD_NAME).digest('hex').slice(10, 20), 16);
  const lower = (text) => (text === undefined ? 'None' : text.toLowerCase());
  const idc = env.TCE_INTERNAL_IDC?.toLowerCase() ?? null;
  const cluster = env.TCE_LOGICAL_CLUSTER || env.TCE_CLUSTER || env.TCE_PHYSICAL_CLUSTER;
  return Object.assign(conf, {
    shard, replica, idc, host: env.MY_HOST_IP || ip, platform_config_file: conf.platform_config_file || `${home}/conf/platform_config_file.cfg`,
    layout: conf.layout_pattern.startsWith('/') ? conf.layout_pattern : `/${conf.bzid}/layouts/${conf.layout_pattern}`,
    container: `${env.TCE_PSM ?? 'unknown'};${lower(env.TCE_INTERNAL_IDC)};${lower(cluster)}:${env.MY_POD_NAME ?? env.MY_HOST_IP ?? ip}`,
  });
}

const freePort = () => new Promise((resolve) => {
  const s = net.createServer().listen(0, ip, () => { const { port } = s.address(); s.close(() => resolve(port)); });
});

// ---- the model server

class ModelServer {
  constructor(conf, ports, log) {
    Object.assign(this, { conf, ports, log, code: null });
    const name = Array.from(randomBytes(8), (b) => 'abcdefghijklmnopqrstuvwxyz0123456789_'[b % 37]).join('');
    this.config = `${env.TMPDIR ?? '/tmp'}/tmp${name}`;
    fs.writeFileSync(this.config, 'model_config_list {}');
    const parallel = (n) => n || Number(env.MY_CPU_LIMIT ?? 0) || 16;
    fs.writeFileSync(conf.platform_config_file, `platform_configs { key: "tensorflow" value { source_adapter_config {
      [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] { legacy_config { session_config {
      intra_op_parallelism_threads: ${parallel(conf.tensorflow_intra_op_parallelism)} allow_soft_placement: true
      inter_op_parallelism_threads: ${parallel(conf.tensorflow_inter_op_parallelism)} gpu_options { allow_growth: ${conf.allow_growth} }
      } enable_model_warmup: ${conf.enable_model_warmup} } } } } }\n`);
  }

  start() {
    const psm = env.TCE_PSM ?? '';
    const flags = [
      `--model_config_file=${this.config}`, `--port=${this.ports.grpc}`, `--rest_api_port=${this.ports.http}`,
      '--model_config_file_poll_wait_seconds=60', `--archon_port=${this.ports.archon}`, `--archon_rpc_psm=${psm}`,
      `--archon_rpc_cluster=${env.TCE_CLUSTER ?? ''}`, `--metrics_namespace_prefix=${psm}`, '--conf_file=conf/service.conf',
      '--log_conf=conf/log4j.properties', `--platform_config_file=${this.conf.platform_config_file}`,
    ];
    for (const [key, unset] of Object.entries(SERVING)) {
      if (key !== 'platform_config_file' && this.conf[key] !== unset) flags.push(`--${key}=${this.conf[key]}`);
    }
    this.child = spawn(env.MONOLITH_TFS_BINARY, flags, { stdio: ['ignore', fs.openSync(this.log, 'w'), 'inherit'] });
    this.child.on('exit', (code) => { this.code = code ?? -1; });
    this.child.on('error', (e) => { throw e; });
  }

  names() { return [...fs.readFileSync(this.config, 'utf8').matchAll(/^\s*name: "(.*)"$/gm)].map((m) => m[1]); }

  async available(model) {
    try {
      const answer = await call(`${ip}:${this.ports.grpc}`, '/tensorflow.serving.ModelService/GetModelStatus', part(1, part(1, model)));
      return fields(answer).some(([field, version]) => field === 1 && fields(version).some(([f, v]) => f === 2 && v === AVAILABLE));
    } catch (e) { log('status of', model, String(e)); return false; }
  }
}

function modelConfig(name, { model_base_path: path, version_policy: policy }) {
  const kinds = { latest: 'latest { num_versions: 1 }', all: 'all { }', specific: 'specific { versions: 1 }' };
  if (env.MONOSIM_LATEST_ONCE) kinds.latest_once = 'latest_once { num_versions: 1 }';
  const kind = kinds[policy.toLowerCase()] ?? raise(`${policy} is not allowed!`);
  return `  config {\n    name: "${name}"\n    base_path: "${path}"\n    model_platform: "tensorflow"\n    model_version_policy {\n      ${kind}\n    }\n  }\n`;
}

// accepts evaluates a condition of Python's on the numbers in a sub-graph's name.
function accepts([match, cond], subGraph) {
  const m = new RegExp('^(?:' + match.replaceAll('(?P<', '(?<') + ')').exec(subGraph), numbers = Object.entries(m?.groups ?? {});
  if (!m) return false;
  const text = cond.replace(/\band\b/g, '&&').replace(/\bor\b/g, '||').replace(/\bnot\b/g, '!').replace(/\bTrue\b/g, 'true').replace(/\bFalse\b/g, 'false');
  return Boolean(Function(...numbers.map(([k]) => k), `return (${text.trim()})`)(...numbers.map(([, v]) => Number(v))));
}

// ---- what the agent says and hears by ZooKeeper

class Backend {
  constructor(conf) {
    Object.assign(this, { conf, bound: new Set(), services: {}, watched: {}, lost: false, turn: Promise.resolve() });
    this.open();
  }

  open(children) {
    this.zk = new ZooKeeper(this.conf.zk_servers, pause, wall, (state) => { log('session', state); this.lost = state === 'LOST'; }, children);
  }

  // alone runs one after the other what changes the backend.
  alone(fn) { return (this.turn = this.turn.then(fn, fn)); }

  async put(path, data, ephemeral) {
    try {
      await this.zk.create(path, data, ephemeral).catch(async (e) => {
        if (e.code !== NO_NODE) throw e;
        await this.zk.ensure(path.slice(0, path.lastIndexOf('/')));
        await this.zk.create(path, data, ephemeral);
      });
    } catch (e) {
      if (e.code === NODE_EXISTS) await this.zk.retried(() => this.zk.set(path, data));
      else log('put', path, String(e));
    }
  }

  async read(path) {
    try { return (await this.zk.get(path)).toString(); } catch (e) {
      if (e.code === NO_NODE) return null;
      throw e;
    }
  }

  path(model) {
    const at = model.indexOf(':');
    return `/${this.conf.bzid}/binding/${model.slice(0, at)}/${model.slice(at + 1)}:${this.conf.container}`;
  }

  bind(models) {
    return this.alone(async () => {
      if (this.lost) { this.bound.clear(); await this.zk.close(); this.open(this.zk.children); return; }
      for (const m of models) if (!this.bound.has(m)) await this.put(this.path(m), '', fault !== 'persistent');
      for (const m of this.bound) if (!models.has(m)) await this.zk.delete(this.path(m)).catch((e) => log('delete', String(e)));
      this.bound = models;
    });
  }

  // watch is called in a turn of its caller's, as fn is the first time.
  async watch(path, fn) {
    if (this.watched[path] && !this.watched[path].stopped) return;
    await this.zk.ensure(path);
    const told = (children, nested) => (nested ? fn(children) : this.alone(() => fn(children)));
    const later = (e) => log('watch of', path, String(e)); // the first time it is the caller's
    this.watched[path] = await this.zk.watch(path, (c, nested) => (nested ? told(c, nested) : told(c, nested).catch(later)));
  }

  async layout(children, changed) {
    const models = [], names = new Set();
    for (const child of children) {
      const [name, subGraph] = child.split(':');
      if (subGraph === undefined) raise(`not enough values to unpack: ${child}`);
      const data = await this.read(`/${this.conf.bzid}/saved_models/${name}/${subGraph}`);
      if (data === null) continue;
      models.push([name, subGraph, JSON.parse(data)]);
      names.add(name);
    }
    this.services = Object.fromEntries([...names].map((n) => [n, this.services[n] ?? {}]));
    for (const n of names) await this.watch(`/${this.conf.bzid}/binding/${n}`, (c) => this.bindings(n, c));
    changed(models);
  }

  async bindings(name, children) {
    if (!(name in this.services)) return false;
    const found = {};
    for (const child of children) {
      const [subGraph, cluster, id] = child.split(':');
      const data = await this.read(`/${this.conf.bzid}/container_service/${cluster}:${id}`);
      if (data !== null) (found[subGraph] ??= []).push(JSON.parse(data).grpc);
    }
    this.services[name] = found;
  }
}

// ---- the agent

function methods(conf, port, backend) {
  const base = '/monolith.serving.agent_service.AgentService/';
  return {
    [base + 'GetReplicas']: () => raise('not implement for agent v3'),
    [base + 'GetResource']: () => {
      if (conf.replica > 2 ** 31 - 1) raise(`Value out of range: ${conf.replica}`);
      return Buffer.concat([part(1, `${conf.host}:${port}`), number(2, conf.shard), number(3, conf.replica), number(4, os.freemem()), float(5, -1), float(6, -1), float(7, -1)]);
    },
    [base + 'HeartBeat']: () => Buffer.concat(Object.entries(backend.services).flatMap(([name, graphs]) => Object.entries(graphs).map(([graph, addrs]) => {
      const list = fault === 'first' ? addrs.slice(0, 1) : addrs;
      return part(1, Buffer.concat([part(1, `${name}:${graph}`), part(2, Buffer.concat(list.map((a) => part(1, a))))]));
    }))),
  };
}

async function main() {
  const flag = (name) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3);
  const conf = readConf(flag('conf'));
  const port = conf.agent_port || Number(env.PORT2 ?? await freePort());
  const ports = { archon: Number(env.PORT ?? await freePort()), grpc: Number(env.PORT3 ?? await freePort()), http: Number(env.PORT4 ?? await freePort()) };
  const server = new ModelServer(conf, ports, flag('tfs_log'));
  let over = false;
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => { over = fault !== 'deaf'; });
  server.start();
  const backend = new Backend(conf);
  for (let waited = 0; backend.zk.state !== 'CONNECTED'; waited += 100) {
    if (waited >= 15 * SECOND) raise('Connection time-out');
    await pause(100);
  }
  await serve(ip, port, methods(conf, port, backend));

  const info = JSON.stringify({
    grpc: `${conf.host}:${ports.grpc}`, http: `${conf.host}:${ports.http}`, archon: `${conf.host}:${ports.archon}`, agent: `${conf.host}:${port}`,
    idc: conf.idc, debug_info: JSON.stringify({ layout_path: conf.layout, layout_filters: conf.filters.map((f) => f.join(';')) }),
  });
  const every = async (seconds, fn) => {
    while (!over) {
      await fn().catch((e) => log('error in a loop', String(e)));
      await pause(seconds * SECOND);
    }
  };
  const loops = [
    every(fault === 'eager' ? 30 : 60, () => backend.alone(() => backend.put(`/${conf.bzid}/container_service/${conf.container}`, info, true))),
    every(30, async () => {
      const models = new Set();
      for (const name of server.names()) if (await server.available(name)) models.add(name.split(':').slice(0, 2).join(':'));
      await backend.bind(models);
    }),
  ];
  const layout = (models) => {
    const accepted = models.filter(([, graph]) => conf.filters.length === 0 || conf.filters.some((f) => accepts(f, graph)));
    fs.writeFileSync(server.config, `model_config_list {\n${accepted.map(([name, graph, deploy]) => modelConfig(`${name}:${graph}`, deploy)).join('')}}\n`);
  };
  try {
    await backend.alone(() => backend.watch(conf.layout, (children) => backend.layout(children, layout)));
  } catch (e) { // it reports and binds on until a signal (Q209)
    log(e.stack);
    while (!over) await pause(SECOND);
    await Promise.all(loops);
    process.exit(1);
  }

  while (!over && server.code === null) await pause(SECOND);
  over = true;
  await Promise.all(loops);
  await backend.zk.close();
  server.child.kill('SIGKILL');
  await pause(SECOND);
  process.kill(process.pid, 'SIGKILL');
}

const failed = (e) => { log(e.stack ?? e); process.exit(fault === 'two' ? 2 : 1); };
process.on('uncaughtException', failed);
fs.writeFileSync(env.MONOSIM_READY, '');
process.stdin.once('data', () => { process.stdin.destroy(); main().catch(failed); });
process.stdin.once('end', () => process.exit(0));
