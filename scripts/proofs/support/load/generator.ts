import { randomBytes } from 'node:crypto';
import { sign } from '../../../../src/auth/signature/signature.js';
import { Connection } from './connection.js';
import {
  type Captured,
  DROPPED,
  type LoadColumns,
  type LoadTask,
  type Order,
  NOT_SENT,
  UNANSWERED,
  type Word,
} from './task.js';

const TICK_MS = 5;
const PATIENCE_MS = 60_000;
/** What nginx has connections for, if nothing else is said. */
const MAX_IN_FLIGHT = 3_500;
/** Unexpected answers that are written to standard error: a proof that fails says why. */
const MAX_ODDITIES = 5;

interface Noted {
  sentAt: number;
  ms: number;
  status: number;
  retryAfter?: boolean;
  kind: number;
  n: number;
  id?: string;
}

/** Sends requests at a rate, whether those before were answered or not, and writes down what became of each. */
class Generator {
  private readonly idle: Connection[] = [];
  private readonly underway = new Map<Connection, { since: number; over: (status: number) => void }>();
  private readonly captured: Captured[] = [];
  private readonly run = randomBytes(9).toString('base64url').replace(/\W/g, '0');
  private readonly rows = {
    sentAt: [] as number[],
    ms: [] as number[],
    status: [] as number[],
    retryAfter: [] as number[],
    kind: [] as number[],
    n: [] as number[],
    ids: [] as string[],
  };
  private sent = 0;
  private oddities = 0;
  private due = 0;
  private last = performance.now();
  private readonly timer = setInterval(() => this.tick(), TICK_MS);
  private readonly sweep = setInterval(() => this.giveUp(PATIENCE_MS), 1_000);
  perSecond: number;

  constructor(private readonly task: LoadTask) {
    this.perSecond = task.perSecond;
  }

  lastRequests(): Captured[] {
    return this.captured;
  }

  /** Sends no more, waits for the answers and tells everything. */
  async end(): Promise<LoadColumns> {
    clearInterval(this.timer);
    const deadline = performance.now() + PATIENCE_MS;
    while (this.underway.size > 0 && performance.now() < deadline) await new Promise((done) => setTimeout(done, 20));
    clearInterval(this.sweep);
    this.giveUp(0);
    for (const connection of this.idle) connection.close();
    const { sentAt, ms, status, retryAfter, kind, n, ids } = this.rows;
    return {
      sentAt: Float64Array.from(sentAt),
      ms: Float64Array.from(ms),
      status: Int16Array.from(status),
      retryAfter: Uint8Array.from(retryAfter),
      kind: Uint8Array.from(kind),
      n: Uint32Array.from(n),
      ids,
    };
  }

  private tick(): void {
    const now = performance.now();
    this.due += ((now - this.last) * this.perSecond) / 1_000;
    this.last = now;
    for (; this.due >= 1; this.due--) this.send();
  }

  private send(): void {
    const { requests, host, pen, port, captures, mostUnderway } = this.task;
    const n = this.sent++;
    const kind = n % requests.length;
    const { method, target: pattern, json, isKeyed, keepsId } = requests[kind];
    const sentAt = Date.now();
    if (this.underway.size >= (mostUnderway ?? MAX_IN_FLIGHT))
      return this.note({ sentAt, ms: 0, status: NOT_SENT, kind, n });
    const target = pattern.replaceAll('{n}', String(n));
    const authorization = sign({
      method,
      url: `http://${host}${target}`,
      ...pen,
      timestamp: Math.floor(sentAt / 1_000),
      nonce: `${this.run}${n}`,
    });
    const copy: Captured = { method, target, authorization };
    if (captures > 0 && this.captured.push(copy) > captures) this.captured.shift();
    const body = json?.replaceAll('{n}', String(n)) ?? '';
    const about = [
      ...(method === 'GET' ? [] : [`Content-Length: ${Buffer.byteLength(body)}\r\n`]),
      ...(body === '' ? [] : ['Content-Type: application/json\r\n']),
      ...(isKeyed ? [`Idempotency-Key: ${this.run}${n}\r\n`] : []),
    ].join('');
    const connection =
      this.idle.pop() ??
      new Connection(
        port,
        (it) => this.idle.push(it),
        (it) => this.forget(it),
      );
    const since = performance.now();
    const over = (status: number, retryAfter = false, id = '') => {
      this.underway.delete(connection);
      copy.status = status;
      this.note({ sentAt, ms: performance.now() - since, status, retryAfter, kind, n, id });
    };
    this.underway.set(connection, { since, over });
    connection.send(
      `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nAuthorization: ${authorization}\r\n${about}\r\n${body}`,
      (answer) => {
        if (!this.underway.has(connection)) return;
        if (!answer) return over(DROPPED);
        const { status, head, body } = answer;
        const id = keepsId && status === 201 ? (JSON.parse(body.toString()) as { data: { id: string } }).data.id : '';
        if (status >= 400 && status !== 429 && status !== 503 && this.oddities++ < MAX_ODDITIES)
          process.stderr.write(`${status} after ${Math.round(performance.now() - since)} ms: ${body.toString()}\n`);
        over(status, /\r\nretry-after:/i.test(head), id);
      },
    );
  }

  private note({ sentAt, ms, status, retryAfter = false, kind, n, id = '' }: Noted): void {
    const { rows } = this;
    rows.sentAt.push(sentAt);
    rows.ms.push(ms);
    rows.status.push(status);
    rows.retryAfter.push(retryAfter ? 1 : 0);
    rows.kind.push(kind);
    rows.n.push(n);
    rows.ids.push(id);
  }

  private forget(connection: Connection): void {
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
  }

  private giveUp(timeoutMs: number): void {
    const before = performance.now() - timeoutMs;
    for (const [connection, { since, over }] of this.underway) {
      if (since > before) continue;
      over(UNANSWERED);
      connection.close();
    }
  }
}

let generator: Generator | undefined;
const say = (word: Word) => process.send!(word);

process.on('message', (order: Order) => {
  if ('start' in order) generator = new Generator(order.start);
  else if ('rate' in order) generator!.perSecond = order.rate;
  else if ('captured' in order) say({ captured: generator!.lastRequests() });
  else void generator!.end().then((log) => say({ log }));
});
process.on('disconnect', () => process.exit());
process.on('uncaughtException', (error) => {
  process.send?.({ failed: error.stack ?? error.message } satisfies Word, () => process.exit(1));
});
