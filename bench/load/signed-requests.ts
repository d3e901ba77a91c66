import { randomBytes } from 'node:crypto';
import { sign } from '../../src/auth/signature/signature.js';
import { distinct, type Asked, type Pen } from './task.js';

const BATCH = 500;

/**
 * Requests as bytes, each signed for itself under a nonce of its own. They are made in batches and ahead of time, so that
 * signing, which is the client's work, is not done while the server is measured.
 */
export class SignedRequests {
  /** Of this run alone; a counter does the rest. */
  private readonly run = randomBytes(9).toString('base64url').replace(/\W/g, '0');
  private readonly ready: Buffer[] = [];
  private readonly bodies: Map<string, Buffer>;
  private made = 0;

  constructor(
    private readonly port: number,
    private readonly pen: Pen,
    private readonly requests: Asked[],
  ) {
    this.bodies = new Map(requests.map(({ body = '' }) => [body, Buffer.from(body)]));
  }

  prepare(count: number): void {
    while (this.ready.length < count) this.ready.push(this.make());
  }

  next(): Buffer {
    if (this.ready.length === 0) this.prepare(BATCH);
    return this.ready.pop()!;
  }

  private make(): Buffer {
    const { method, target: pattern, body = '' } = this.requests[this.made % this.requests.length];
    const target = distinct(pattern, this.run, this.made);
    const host = `127.0.0.1:${this.port}`;
    const authorization = sign({
      method,
      url: `http://${host}${target}`,
      ...this.pen,
      timestamp: Math.floor(Date.now() / 1000),
      nonce: `${this.run}${this.made++}`,
    });
    const entity = method === 'GET' ? '' : `Content-Length: ${this.bodies.get(body)!.length}\r\n`;
    const type = body === '' ? '' : 'Content-Type: application/json\r\n';
    const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: marquee-bench\r\nAccept: application/json\r\nAuthorization: ${authorization}\r\n${type}${entity}\r\n`;
    return Buffer.concat([Buffer.from(head, 'latin1'), this.bodies.get(body)!]);
  }
}
