import type { IncomingMessage } from 'node:http';
import type { PendingBody } from './pending-bodies.js';
import { cancelled, DRAIN_LIMIT, tooLarge } from './unread-body.js';

/** There is no room for another body at the moment: 503, in the form of the endpoint's family. */
export class BodyMemoryFull extends Error {}

/**
 * The bodies that are held as a whole, over all requests of this process: a sum of bytes that arrived, whatever clients
 * announce. What would go beyond it is refused, and a body that is given up gives back what it holds.
 */
export class BodyMemory {
  private taken = 0;

  /** `most`: bytes, over all bodies. */
  constructor(private readonly most: number) {}

  /** The bytes that are held now. */
  get held(): number {
    return this.taken;
  }

  /** Whether there was room for so many bytes more; they are held until they are released. */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.most) return false;
    this.taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.taken -= bytes;
  }

  /**
   * Reads a body of at most `limit` bytes, which are held until they are released. One that is refused is read on and
   * kept nowhere, so that the connection can go on.
   */
  read(payload: IncomingMessage, limit: number, pending?: PendingBody): Promise<Buffer> {
    return new ArrivingBody(payload, limit, pending, this).whole;
  }

  /** Reads a body that nobody wants, and answers how long it is. */
  async skip(payload: IncomingMessage, limit: number, pending?: PendingBody): Promise<number> {
    const body = new ArrivingBody(payload, limit, pending);
    await body.whole;
    return body.size;
  }
}

const NOTHING = Buffer.alloc(0);

/** A body on its way, in one buffer that grows: pieces would cost more than what is in them where they are small. */
class ArrivingBody {
  /** Settles when there is nothing more to wait for. */
  readonly whole: Promise<Buffer>;
  size = 0;
  private kept: Buffer = NOTHING;
  private length = 0;
  private fault?: Error;
  private readonly settle: (fault?: Error) => void;

  /** Without a `memory` nothing is kept. */
  constructor(
    payload: IncomingMessage,
    private readonly limit: number,
    pending?: PendingBody,
    private readonly memory?: BodyMemory,
  ) {
    let settle!: (fault?: Error) => void;
    this.whole = new Promise((resolve, reject) => {
      settle = (fault = this.fault) => {
        payload.off('data', take).off('end', end).off('close', gone).off('error', gone);
        if (!fault) return resolve(this.kept.subarray(0, this.length));
        this.drop();
        reject(fault);
      };
    });
    this.settle = settle;
    const take = (chunk: Buffer) => this.take(chunk);
    const end = () => settle();
    const gone = () => settle(cancelled());
    payload.on('data', take).on('end', end).on('close', gone).on('error', gone);
    if (payload.destroyed) gone();
    pending?.onGivenUp(settle);
  }

  private take(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > DRAIN_LIMIT) return this.settle(tooLarge(this.limit, true));
    if (this.fault || (!this.memory && this.size <= this.limit)) return;
    if (this.size > this.limit) this.refuse(tooLarge(this.limit));
    else if (this.memory!.take(chunk.length)) this.keep(chunk);
    else this.refuse(new BodyMemoryFull());
  }

  private keep(chunk: Buffer): void {
    const length = this.length + chunk.length;
    // most bodies are one piece, which is kept as it came
    if (this.length === 0) this.kept = chunk;
    else {
      if (length > this.kept.length) {
        const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * this.kept.length, length), this.limit));
        this.kept.copy(grown, 0, 0, this.length);
        this.kept = grown;
      }
      chunk.copy(this.kept, this.length);
    }
    this.length = length;
  }

  private refuse(fault: Error): void {
    this.fault = fault;
    this.drop();
  }

  private drop(): void {
    this.memory?.release(this.length);
    this.kept = NOTHING;
    this.length = 0;
  }
}
