import { fnv1a } from '../../common/values/fnv1a.js';
import { readText, textOf, type Capture, type CapturedRequest } from './captured-request.js';

/** Bounds of the requests that wait. */
interface QueueBounds {
  /** Number of requests of one application that are kept in any case, as far as `bytes` allows. */
  perApplication: number;
  /** The same for the rejected ones of an application, which strangers can send. */
  rejected: number;
  /** Maximum size of all together, in bytes. */
  bytes: number;
}

/** Some requests, removed from the queues. */
interface TakenRequests {
  requests: CapturedRequest[];
  /** Why others could not be read. */
  errors: unknown[];
}

/** Consumer keys that no application is known for may be anything, so they share this number of queues. */
const CLAIMED_QUEUES = 64;
const MIN_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 256 * 1024;

const acceptedOf = (applicationId: string): string => `accepted ${applicationId}`;
const rejectedOf = (applicationId: string): string => `rejected ${applicationId}`;
const claimedBy = (consumerKey: string): string => `claimed ${fnv1a(consumerKey) % CLAIMED_QUEUES}`;

/** The queues in which requests of an application can wait: that of accepted ones first. */
export const queuesOf = (applicationId: string, consumerKey: string): string[] => [
  acceptedOf(applicationId),
  rejectedOf(applicationId),
  claimedBy(consumerKey),
];

function queueOf({ facts: { applicationId, consumerKey = '', isRejected } }: Capture): string {
  if (applicationId === undefined) return claimedBy(consumerKey);
  return isRejected ? rejectedOf(applicationId) : acceptedOf(applicationId);
}

/**
 * Captured requests that are not stored yet, in the order of their capture. Queues take turns, and beyond a bound the
 * oldest of the queue with the most memory are dropped: an application that sends many requests displaces only its own,
 * and strangers who send many in its name displace only rejected ones.
 *
 * They wait as bytes outside of V8's heap. Objects that live for seconds, at thousands a second, would double the time
 * of garbage collection.
 */
export class RequestQueues {
  private readonly queues = new Map<string, Queue>();
  private bytes = 0;
  /** Number of requests that wait. */
  size = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /** The queues that have requests. */
  get names(): string[] {
    return [...this.queues.keys()];
  }

  /** Adds a request. Returns the number of requests that were dropped for it. */
  push(request: Capture): number {
    const name = queueOf(request);
    let queue = this.queues.get(name);
    if (!queue) this.queues.set(name, (queue = new Queue()));
    const before = queue.bytes;
    queue.push(textOf(request));
    this.size++;
    this.bytes += queue.bytes - before;
    if (queue.bytes === before) return 0;
    const limit = request.facts.isRejected ? this.bounds.rejected : this.bounds.perApplication;
    let dropped = 0;
    while (queue.sizeWithoutFirst >= limit) dropped += this.dropFirst(name, queue);
    while (this.bytes > this.bounds.bytes) dropped += this.dropFirst(...this.largest());
    return dropped;
  }

  /** Removes and returns at least one request of these queues, if there is one, and hardly more than `count`. */
  take(count: number, names: readonly string[] = this.names): TakenRequests {
    const taken: TakenRequests = { requests: [], errors: [] };
    let left = count;
    const found = names.flatMap((name) => {
      const queue = this.queues.get(name);
      return queue ? [{ name, queue }] : [];
    });
    for (const [i, { name, queue }] of found.entries()) {
      if (left <= 0) break;
      const before = queue.bytes;
      const entries = queue.take(Math.ceil(left / (found.length - i)));
      for (const text of entries) read(text, taken);
      left -= entries.length;
      this.size -= entries.length;
      this.bytes += queue.bytes - before;
      // the next turn begins with those that had none
      this.queues.delete(name);
      if (queue.size > 0) this.queues.set(name, queue);
    }
    return taken;
  }

  /** Returns a function that tells whether all requests that wait in these queues now have left them. */
  mark(names: readonly string[]): () => boolean {
    const marks = names.flatMap((name) => {
      const queue = this.queues.get(name);
      return queue ? [{ queue, last: queue.left + queue.size }] : [];
    });
    return () => marks.every(({ queue, last }) => queue.left >= last);
  }

  private dropFirst(name: string, queue: Queue): number {
    const before = queue.bytes;
    const dropped = queue.dropFirst();
    this.size -= dropped;
    this.bytes += queue.bytes - before;
    if (queue.size === 0) this.queues.delete(name);
    return dropped;
  }

  private largest(): [string, Queue] {
    return [...this.queues].reduce((max, each) => (each[1].bytes > max[1].bytes ? each : max));
  }
}

/** One that cannot be read costs no other. */
function read(text: string, into: TakenRequests): void {
  try {
    into.requests.push(readText(text));
  } catch (error) {
    into.errors.push(error);
  }
}

/** A first-in, first-out queue, in chunks that become larger with it. */
class Queue {
  private readonly chunks: Chunk[] = [];
  /** The last chunk that became empty, to be filled again: allocating memory is what costs most. */
  private spare?: Chunk;
  size = 0;
  bytes = 0;
  /** Number of entries that were taken or dropped since it exists. */
  left = 0;

  /** The number of entries that remain without the oldest chunk. */
  get sizeWithoutFirst(): number {
    return this.size - this.chunks[0].size;
  }

  push(text: string): void {
    if (!this.chunks.at(-1)?.push(text)) this.add(text);
    this.size++;
  }

  /** Removes and returns the oldest `count` entries. */
  take(count: number): string[] {
    const taken: string[] = [];
    while (taken.length < count && this.size > 0) {
      taken.push(this.chunks[0].shift());
      this.size--;
      this.left++;
      if (this.chunks[0].size === 0) this.removeFirst();
    }
    return taken;
  }

  /** Drops the oldest chunk; returns the number of its entries. */
  dropFirst(): number {
    const { size } = this.chunks[0];
    this.size -= size;
    this.left += size;
    this.removeFirst();
    return size;
  }

  private add(text: string): void {
    const usual = Math.min(Math.max(this.bytes, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
    const needed = Math.max(usual, Chunk.bytesFor(text));
    const chunk = this.spare?.capacity === needed ? this.spare.emptied() : new Chunk(needed);
    this.spare = undefined;
    chunk.push(text);
    this.chunks.push(chunk);
    this.bytes += chunk.capacity;
  }

  private removeFirst(): void {
    this.spare = this.chunks.shift()!;
    this.bytes -= this.spare.capacity;
  }
}

const LENGTH_BYTES = 4;

/** Texts in one buffer, each with its length in front. */
class Chunk {
  private readonly buffer: Buffer;
  private begin = 0;
  private end = 0;
  size = 0;

  constructor(readonly capacity: number) {
    this.buffer = Buffer.allocUnsafeSlow(capacity);
  }

  /** The most that a text needs: its number of bytes is only known afterwards. */
  static bytesFor(text: string): number {
    return LENGTH_BYTES + 3 * text.length;
  }

  /** The chunk without texts. */
  emptied(): this {
    this.begin = this.end = this.size = 0;
    return this;
  }

  /** Returns false if there may be no room. */
  push(text: string): boolean {
    if (this.end + Chunk.bytesFor(text) > this.capacity) return false;
    const written = this.buffer.write(text, this.end + LENGTH_BYTES);
    this.end = this.buffer.writeUInt32LE(written, this.end) + written;
    this.size++;
    return true;
  }

  /** Removes and returns the oldest text. */
  shift(): string {
    const from = this.begin + LENGTH_BYTES;
    this.begin = from + this.buffer.readUInt32LE(this.begin);
    this.size--;
    return this.buffer.toString('utf8', from, this.begin);
  }
}
