import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { ApiError } from '../../errors/api-error.js';
import { cancelledRequest } from '../../errors/catalogue.js';
import type { PendingBody } from './pending-bodies.js';

/** After a rejection at most this many bytes of a body are read to keep the connection; beyond, it is closed. */
export const DRAIN_LIMIT = 10 * 1000 * 1000;

/** 413; `close` when the rest of the body is not read. */
export const tooLarge = (limit: number, close = false, parameter = 'body') =>
  new ApiError(
    413,
    'INVALID_PARAMETER',
    `${parameter === 'body' ? 'The body' : parameter} must have at most ${limit} bytes`,
    { parameter, details: `more than ${limit} bytes were sent` },
    close ? { connection: 'close' } : {},
  );

/** The client disconnected during the request: it gets no response, but the log must not show an outage. */
export const requestCancelled = () => cancelledRequest('The request ended before its body was complete');

/** A body that the handler of the request reads while it arrives, up to its limit. */
export class UnreadBody {
  /** The length that the client declares; undefined for a chunked body. */
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

  /**
   * Its bytes, once. Fails with 413 beyond the limit, at once for a declared length beyond it, and with 408 when the
   * client disconnects or sends too slowly.
   */
  open(): Readable {
    if (this.counted) throw new Error('a body can be read only once');
    const { raw, limit } = this;
    if ((this.length ?? 0) > limit) throw tooLarge(limit);
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.received += chunk.length;
        if (this.received > limit) done(tooLarge(limit));
        else done(null, chunk);
      },
    });
    // Readers get the error from the stream; without a reader it must not end the process.
    counted.on('error', () => undefined).once('close', () => raw.unpipe(counted));
    raw
      .on('error', () => undefined)
      .once('close', () => {
        if (!raw.readableEnded) counted.destroy(requestCancelled());
      });
    if (raw.destroyed && !raw.readableEnded) counted.destroy(requestCancelled());
    this.counted = counted;
    this.pending?.onGivenUp((fault) => counted.destroy(fault));
    return raw.pipe(counted);
  }

  /**
   * Reads the unread rest of the body, so that the next request on this connection can be parsed. False when the rest
   * exceeds `DRAIN_LIMIT` or the body is abandoned: then the connection must be closed.
   */
  async discard(): Promise<boolean> {
    const { raw } = this;
    if (this.counted) {
      raw.unpipe(this.counted);
      if (!this.counted.writableFinished) this.counted.destroy(requestCancelled());
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
