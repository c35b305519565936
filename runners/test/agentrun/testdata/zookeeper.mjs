// A client of ZooKeeper as far as an agent of version 3 needs one (sim/zookeeper/SPEC.md, ZK-1 to ZK-7): a session that is kept
// over connections, requests in order, and watches of children that are set again when there is a connection. No package of npm
// is used, so that a check needs node alone.
import net from 'node:net';

const OP = { create: 1, delete: 2, exists: 3, get: 4, set: 5, children: 8, ping: 11, close: -11 };
export const NO_NODE = -101, NODE_EXISTS = -110, CONNECTION_LOSS = -4, SESSION_EXPIRED = -112;
const PING_XID = -2, EVENT_XID = -1;
const TIMEOUT_MS = 10000; // of a session, of an attempt to connect, and of the answer to that

class ZooKeeperError extends Error {
  constructor(code, path) { super(`ZooKeeper error ${code} at ${path}`); this.code = code; }
}

const int = (n) => { const b = Buffer.alloc(4); b.writeInt32BE(n); return b; };
const long = (n) => { const b = Buffer.alloc(8); b.writeBigInt64BE(BigInt(n)); return b; };
const bytes = (data) => { const b = Buffer.from(data); return Buffer.concat([int(b.length), b]); };
const bool = (v) => Buffer.from([v ? 1 : 0]);
const WORLD = Buffer.concat([int(1), int(31), bytes('world'), bytes('anyone')]);

export class ZooKeeper {
  // pause resolves after a time of the cluster in ms; wall converts such a time for timers; told gets each new state. children are
  // the watches of a client that this one follows.
  constructor(hosts, pause, wall, told, children = []) {
    Object.assign(this, { hosts: hosts.split(','), pause, wall, told, children, state: 'LOST', queue: [], sent: [], xid: 0, lastZxid: 0n, watches: new Map() });
    for (const w of children) Object.assign(w, { zk: this, established: false });
    this.forget();
    this.run();
  }

  forget() { Object.assign(this, { session: { id: 0n, password: Buffer.alloc(16) }, expired: false }); }

  change(state) {
    if (state === this.state || this.state === 'CLOSED') return;
    this.state = state;
    if (state !== 'CONNECTED') {
      const lost = this.sent.splice(0).concat(state === 'SUSPENDED' ? [] : this.queue.splice(0));
      for (const c of lost) c.fail(new ZooKeeperError(state === 'SUSPENDED' ? CONNECTION_LOSS : SESSION_EXPIRED, c.path));
      this.watches.clear();
      for (const w of this.children) w.established = false;
    }
    this.told(state);
    for (const w of this.children) if (state === 'CONNECTED' && !w.established) w.read().catch(() => {});
  }

  async run() {
    for (let attempt = 0, host = 0; this.state !== 'CLOSED'; host++) {
      const connected = await this.connect(this.hosts[host % this.hosts.length]);
      attempt = connected ? 0 : attempt + 1;
      if (this.state === 'CONNECTED') this.change('SUSPENDED');
      if (this.expired) { // a new session follows at once
        this.change('LOST');
        this.forget();
        continue;
      }
      await this.pause(100 * 2 ** Math.min(attempt, 14) * (0.8 + 0.4 * Math.random()));
    }
  }

  // connect makes one connection and resolves when it is over, to whether there was a session on it.
  connect(host) {
    return new Promise((resolve) => {
      const at = host.lastIndexOf(':');
      const socket = net.connect({ host: host.slice(0, at), port: Number(host.slice(at + 1)), noDelay: true });
      let greeted = false, rest = Buffer.alloc(0), heard = Date.now();
      const limit = setTimeout(() => socket.destroy(), this.wall(TIMEOUT_MS));
      const beat = setInterval(() => {
        if (!greeted) return;
        if (Date.now() - heard > this.wall(TIMEOUT_MS * 2 / 3)) socket.destroy();
        else socket.write(Buffer.concat([int(8), int(PING_XID), int(OP.ping)]));
      }, this.wall(TIMEOUT_MS / 3));
      socket.on('connect', () => {
        limit.refresh(); // the answer may take as long
        const hello = Buffer.concat([int(0), long(this.lastZxid), int(TIMEOUT_MS), long(this.session.id), bytes(this.session.password), bool(false)]);
        socket.write(bytes(hello));
      });
      socket.on('data', (data) => {
        heard = Date.now();
        rest = Buffer.concat([rest, data]);
        while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
          const frame = rest.subarray(4, 4 + rest.readInt32BE(0));
          rest = rest.subarray(4 + frame.length);
          if (greeted) { this.reply(frame); continue; }
          clearTimeout(limit);
          if (frame.readInt32BE(4) <= 0) { this.expired = true; socket.destroy(); return; }
          greeted = true;
          this.session = { id: frame.readBigInt64BE(8), password: Buffer.from(frame.subarray(20, 36)) };
          this.socket = socket;
          this.change('CONNECTED');
          this.flush();
        }
      });
      socket.on('error', () => {});
      socket.on('close', () => { clearTimeout(limit); clearInterval(beat); this.socket = null; resolve(greeted); });
    });
  }

  reply(frame) {
    const xid = frame.readInt32BE(0), zxid = frame.readBigInt64BE(4), code = frame.readInt32BE(12), body = frame.subarray(16);
    if (zxid > 0n) this.lastZxid = zxid;
    if (xid === PING_XID) return;
    if (xid === EVENT_XID) {
      const path = body.subarray(12, 12 + body.readInt32BE(8)).toString(), watch = this.watches.get(path);
      this.watches.delete(path);
      watch?.read().catch(() => {});
      return;
    }
    const call = this.sent.shift();
    if (code !== 0) call.fail(new ZooKeeperError(code, call.path));
    else call.done(body);
  }

  flush() {
    while (this.socket && this.state === 'CONNECTED' && this.queue.length > 0) {
      const call = this.queue.shift();
      this.sent.push(call);
      this.socket.write(bytes(Buffer.concat([int(++this.xid), int(call.op), call.body])));
    }
  }

  call(op, path, ...body) {
    return new Promise((done, fail) => {
      if (this.state === 'LOST' || this.state === 'CLOSED') { fail(new ZooKeeperError(SESSION_EXPIRED, path)); return; }
      this.queue.push({ op: OP[op], path, body: Buffer.concat([op === 'close' ? Buffer.alloc(0) : bytes(path), ...body]), done, fail });
      this.flush();
    });
  }

  // retried calls until the connection is not what fails.
  async retried(call) {
    for (let n = 0; ; n++) {
      try { return await call(); } catch (e) {
        if (e.code !== CONNECTION_LOSS && e.code !== SESSION_EXPIRED || this.state === 'CLOSED') throw e;
        await this.pause(100 * 2 ** Math.min(n, 10));
      }
    }
  }

  create(path, data, ephemeral) { return this.call('create', path, bytes(data), WORLD, int(ephemeral ? 1 : 0)); }
  delete(path) { return this.call('delete', path, int(-1)); }
  set(path, data) { return this.call('set', path, bytes(data), int(-1)); }

  async get(path) {
    const body = await this.call('get', path, bool(false));
    return body.subarray(4, 4 + Math.max(body.readInt32BE(0), 0));
  }

  async exists(path) {
    try { await this.call('exists', path, bool(false)); } catch (e) {
      if (e.code === NO_NODE) return false;
      throw e;
    }
    return true;
  }

  // ensure makes a znode with its parents where they are missing. It looks first, as kazoo does.
  async ensure(path) {
    if (await this.exists(path)) return;
    await this.ensure(path.slice(0, path.lastIndexOf('/')) || '/');
    await this.create(path, '').catch((e) => { if (e.code !== NODE_EXISTS) throw e; });
  }

  async close() {
    if (this.state === 'CONNECTED') await this.call('close', '').catch(() => {});
    this.change('CLOSED');
    this.socket?.destroy();
  }

  // watch calls fn with the children of path now and whenever they change, until it returns false.
  async watch(path, fn) {
    const w = { zk: this, path, fn, stopped: false, prior: null, turn: Promise.resolve() };
    w.read = () => (w.turn = w.turn.then(() => w.zk.look(w), () => w.zk.look(w)));
    this.children.push(w);
    await this.look(w, true);
    return w;
  }

  // look reads the children for a watch. nested says that it is the first time, inside of the caller's turn.
  async look(w, nested) {
    if (w.stopped) return;
    const children = await this.retried(async () => {
      this.watches.set(w.path, w);
      const body = await this.call('children', w.path, bool(true)), list = [];
      for (let n = body.readInt32BE(0), at = 4; n > 0; n--, at += 4 + Buffer.byteLength(list.at(-1))) {
        list.push(body.subarray(at + 4, at + 4 + body.readInt32BE(at)).toString());
      }
      return list;
    }).catch((e) => { if (e.code !== NO_NODE) throw e; w.stopped = true; });
    if (w.stopped) return;
    const again = !w.established && w.prior?.join('\n') === children.join('\n');
    Object.assign(w, { established: true, prior: children });
    if (!again && await w.fn(children, nested) === false) w.stopped = true;
  }
}
