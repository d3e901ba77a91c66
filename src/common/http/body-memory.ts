import type { IncomingMessage } from 'node:http';
import { cancelledRequest } from '../errors/catalogue.js';
import { cancelled, DRAIN_LIMIT, tooLarge } from './unread-body.js';

/** In each such period at least so much of a body has to arrive, or its end. */
const PACE_MS = 5_000;
const PACE_BYTES = 64 * 1024;
/** However steadily it arrives, a body has to be here after so long: before the server's limit for a request ends it. */
const LONGEST_MS = 25_000;
const LOOK_MS = 1_000;

const tooSlow = () =>
  cancelledRequest(
    'The body took too long to arrive',
    {
      details: `at least ${PACE_BYTES} bytes in ${PACE_MS / 1000} seconds, and all of it in ${LONGEST_MS / 1000}`,
    },
    { connection: 'close' },
  );

/** There is no room for another body at the moment: 503, in the form of the endpoint's family. */
export class BodyMemoryFull extends Error {}

/**
 * The bodies that are held as a whole, over all requests of this process: a sum of bytes that arrived, whatever clients
 * announce. What would go beyond it is refused, and who sends too slowly gives back what it holds.
 */
export class BodyMemory {
  private taken = 0;
  private readonly arriving = new Set<ArrivingBody>();
  private timer?: NodeJS.Timeout;

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
  read(payload: IncomingMessage, limit: number): Promise<Buffer> {
    return this.arrivalOf(new ArrivingBody(payload, limit, this));
  }

  /** Reads a body that nobody wants, and answers how long it is. */
  async skip(payload: IncomingMessage, limit: number): Promise<number> {
    const body = new ArrivingBody(payload, limit);
    await this.arrivalOf(body);
    return body.size;
  }

  private async arrivalOf(body: ArrivingBody): Promise<Buffer> {
    this.arriving.add(body);
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    try {
      return await body.whole;
    } finally {
      this.arriving.delete(body);
    }
  }

  private look(): void {
    const now = performance.now();
    for (const body of this.arriving) body.look(now);
    if (this.arriving.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
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
  private readonly began = performance.now();
  private periodBegan = this.began;
  private sizeThen = 0;
  private readonly settle: (fault?: Error) => void;

  /** Without a `memory` nothing is kept. */
  constructor(
    payload: IncomingMessage,
    private readonly limit: number,
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
  }

  look(now: number): void {
    if (now - this.began > LONGEST_MS) return this.settle(tooSlow());
    if (now - this.periodBegan < PACE_MS) return;
    if (this.size - this.sizeThen < PACE_BYTES) return this.settle(tooSlow());
    this.periodBegan = now;
    this.sizeThen = this.size;
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
