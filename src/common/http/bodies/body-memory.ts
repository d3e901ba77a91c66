import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError } from '../../errors/api-error.js';
import type { PendingBody } from './pending-bodies.js';
import { requestCancelled, DRAIN_LIMIT, tooLarge } from './unread-body.js';

/** There is no memory for another body at the moment: 503, in the form of the endpoint's family. */
export class BodyMemoryFull extends Error {}

/**
 * Limits the bytes of buffered bodies over all requests of this process. It counts bytes that arrived, not announced
 * lengths. A body that exceeds the limit is rejected, and an abandoned body releases its bytes.
 */
export class BodyMemory {
  private taken = 0;

  /** `max`: maximum number of bytes of all bodies. */
  constructor(private readonly max: number) {}

  /** The bytes held now. */
  get held(): number {
    return this.taken;
  }

  /** Reserves bytes until they are released; false when there is no room. */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.max) return false;
    this.taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.taken -= bytes;
  }

  /**
   * Reads a body of at most `limit` bytes, which are held until they are released. A rejected body is read to its end
   * and discarded, so that the connection stays usable.
   */
  read(payload: Readable, limit: number, pending?: PendingBody): Promise<Buffer> {
    return new ArrivingBody(payload, limit, pending, this).complete;
  }

  /** Reads and discards a body, and returns its length. */
  async skip(payload: IncomingMessage, limit: number, pending?: PendingBody): Promise<number> {
    const body = new ArrivingBody(payload, limit, pending);
    await body.complete;
    return body.size;
  }
}

const NOTHING = Buffer.alloc(0);

/** An arriving body in one growing buffer: a list of small chunks would cost more than their content. */
class ArrivingBody {
  /** Settles when the body is complete or abandoned. */
  readonly complete: Promise<Buffer>;
  size = 0;
  private kept: Buffer = NOTHING;
  private length = 0;
  private fault?: Error;
  private readonly settle: (fault?: Error) => void;

  /** Without a `memory` the body is discarded. */
  constructor(
    payload: Readable,
    private readonly limit: number,
    pending?: PendingBody,
    private readonly memory?: BodyMemory,
  ) {
    let settle!: (fault?: Error) => void;
    this.complete = new Promise((resolve, reject) => {
      settle = (fault = this.fault) => {
        payload.off('data', take).off('end', end).off('close', gone).off('error', failed);
        if (!fault) return resolve(this.kept.subarray(0, this.length));
        this.drop();
        reject(fault);
      };
    });
    this.settle = settle;
    const take = (chunk: Buffer) => this.take(chunk);
    const end = () => settle();
    const gone = () => settle(requestCancelled());
    // the file of a form fails with the error to answer with
    const failed = (error: Error) => settle(error instanceof ApiError ? error : requestCancelled());
    payload.on('data', take).on('end', end).on('close', gone).on('error', failed);
    if (payload.destroyed) gone();
    pending?.onGivenUp(settle);
  }

  private take(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > Math.max(DRAIN_LIMIT, this.limit)) return this.settle(tooLarge(this.limit, true));
    if (this.fault || (!this.memory && this.size <= this.limit)) return;
    if (this.size > this.limit) this.refuse(tooLarge(this.limit));
    else if (this.memory!.take(chunk.length)) this.keep(chunk);
    else this.refuse(new BodyMemoryFull());
  }

  private keep(chunk: Buffer): void {
    const length = this.length + chunk.length;
    // most bodies are one chunk, which is kept without a copy
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
