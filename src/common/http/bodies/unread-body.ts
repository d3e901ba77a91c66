import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { ApiError } from '../../errors/api-error.js';
import { cancelledRequest } from '../../errors/catalogue.js';
import type { PendingBody } from './pending-bodies.js';

/** From a refusal on so many more bytes of a body are read, so that the connection can go on; beyond, it is closed. */
export const DRAIN_LIMIT = 10 * 1000 * 1000;

/** 413; `close` where the rest of the body is not waited for. */
export const tooLarge = (limit: number, close = false, parameter = 'body') =>
  new ApiError(
    413,
    'INVALID_PARAMETER',
    `${parameter === 'body' ? 'The body' : parameter} must have at most ${limit} bytes`,
    { parameter, details: `more than ${limit} bytes were sent` },
    close ? { connection: 'close' } : {},
  );

/** The client went away in the middle: nobody reads this, but it is no outage of ours. */
export const cancelled = () => cancelledRequest('The request ended before its body did');

/** A body that is read while it arrives, by whoever handles the request, and in no case beyond its limit. */
export class UnreadBody {
  /** What the client says how many bytes it has; undefined where it comes in chunks. */
  readonly length?: number;
  private received = 0;
  private counted?: Transform;

  constructor(
    private readonly raw: IncomingMessage,
    /** In bytes. */
    private readonly limit: number,
    private readonly pending?: PendingBody,
  ) {
    if (pending) pending.isStreamed = true;
    const declared = raw.headers['content-length'];
    this.length = declared === undefined ? undefined : Number(declared);
  }

  /** Its bytes, once. Fails with 413 beyond the limit, at once where the client says so, and with 408 when it goes away or sends too slowly. */
  open(): Readable {
    if (this.counted) throw new Error('a body can be read once');
    const { raw, limit } = this;
    if ((this.length ?? 0) > limit) throw tooLarge(limit);
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.received += chunk.length;
        if (this.received > limit) done(tooLarge(limit));
        else done(null, chunk);
      },
    });
    // Whoever reads hears of a failure too; without a reader it must not end the process.
    counted.on('error', () => undefined).once('close', () => raw.unpipe(counted));
    raw
      .on('error', () => undefined)
      .once('close', () => {
        if (!raw.readableEnded) counted.destroy(cancelled());
      });
    if (raw.destroyed && !raw.readableEnded) counted.destroy(cancelled());
    this.counted = counted;
    this.pending?.onGivenUp((fault) => counted.destroy(fault));
    return raw.pipe(counted);
  }

  /**
   * Reads what nobody wanted to the end of the request, so that the next one on this connection is understood. False when
   * there is more of it than `DRAIN_LIMIT`, or it is given up: then the connection has to be closed.
   */
  async discard(): Promise<boolean> {
    const { raw } = this;
    if (this.counted) {
      raw.unpipe(this.counted);
      if (!this.counted.writableFinished) this.counted.destroy(cancelled());
    }
    if (raw.readableEnded || raw.destroyed) return true;
    if (this.length !== undefined && this.length - this.received > DRAIN_LIMIT) return false;
    return new Promise((resolve) => {
      let drained = 0;
      const finish = (ended: boolean) => {
        raw.off('data', count).off('end', atEnd).off('close', atEnd);
        resolve(ended);
      };
      const count = (chunk: Buffer) => {
        drained += chunk.length;
        if (drained <= DRAIN_LIMIT) return;
        raw.pause();
        finish(false);
      };
      const atEnd = () => finish(true);
      raw.on('data', count).once('end', atEnd).once('close', atEnd).resume();
      this.pending?.onGivenUp(() => finish(false));
    });
  }
}
