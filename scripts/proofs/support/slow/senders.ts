import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { sign } from '../../../../src/auth/signature/signature.js';
import type { SlowLog, SlowOrder, SlowTask, SlowWord } from './task.js';

/** Every sender sends a byte this often. */
const DRIP_MS = 1_000;
/** Every sender waits this long before it connects again. */
const PAUSE_MS = 3_000;
/** The connections are made over this time, so that no queue of the kernel is full. */
const SPREAD_MS = 2_000;
/** The process ends by itself after this time, whoever has forgotten it. */
const MAX_DURATION_MS = 180_000;
const BODY_BYTES = 2_000_000;

const UPLOAD = '/1.1/media/upload.json?media_category=post_video';
const BOUNDARY = 'slow';

/** Senders that hold as many connections as they can, each with a body that arrives byte by byte. */
class SlowSenders {
  private readonly log: SlowLog = { connections: 0, mostOpen: 0, answers: {} };
  private readonly open = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly drip = setInterval(() => this.open.forEach((socket) => socket.write('x')), DRIP_MS);
  private over = false;

  constructor(private readonly task: SlowTask) {
    for (let i = 0; i < task.senders; i++) this.later((SPREAD_MS * i) / task.senders, () => this.connect(i));
  }

  end(): SlowLog {
    this.over = true;
    clearInterval(this.drip);
    this.timers.forEach((timer) => clearTimeout(timer));
    this.open.forEach((socket) => socket.destroy());
    return this.log;
  }

  private connect(i: number): void {
    const { port, addresses, kinds } = this.task;
    const kind = kinds[i % kinds.length];
    const localAddress = addresses[Math.floor(i / kinds.length) % addresses.length];
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    let status: string | undefined;
    socket.setNoDelay().on('error', () => undefined);
    socket.once('connect', () => {
      this.log.connections++;
      this.open.add(socket);
      this.log.mostOpen = Math.max(this.log.mostOpen, this.open.size);
      socket.write(kind === 'form' ? this.form() : this.upload());
    });
    socket.on('data', (chunk) => {
      if (status !== undefined) return;
      status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1];
      socket.end();
    });
    socket.once('close', () => {
      this.open.delete(socket);
      if (this.over) return;
      const word = status ?? 'closed';
      this.log.answers[word] = (this.log.answers[word] ?? 0) + 1;
      this.later(PAUSE_MS, () => this.connect(i));
    });
  }

  private later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
  }

  private form(): string {
    return `${this.head('/12/accounts/slow/campaigns', 'application/x-www-form-urlencoded')}\r\nname=`;
  }

  private upload(): string {
    const authorization = sign({
      method: 'POST',
      url: `http://${this.task.host}${UPLOAD}`,
      ...this.task.pen,
      timestamp: Math.floor(Date.now() / 1_000),
      nonce: randomBytes(12).toString('hex'),
    });
    const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="media"; filename="slow.mp4"\r\n\r\n`;
    return `${this.head(UPLOAD, `multipart/form-data; boundary=${BOUNDARY}`)}Authorization: ${authorization}\r\n\r\n${part}`;
  }

  private head(target: string, type: string): string {
    return `POST ${target} HTTP/1.1\r\nHost: ${this.task.host}\r\nContent-Type: ${type}\r\nContent-Length: ${BODY_BYTES}\r\n`;
  }
}

let senders: SlowSenders | undefined;
const say = (word: SlowWord) => process.send!(word);

process.on('message', (order: SlowOrder) => {
  if ('start' in order) senders = new SlowSenders(order.start);
  else say({ log: senders!.end() });
});
process.on('disconnect', () => process.exit());
process.on('uncaughtException', (error) => {
  process.send?.({ failed: error.stack ?? error.message } satisfies SlowWord, () => process.exit(1));
});
setTimeout(() => process.exit(), MAX_DURATION_MS).unref();
