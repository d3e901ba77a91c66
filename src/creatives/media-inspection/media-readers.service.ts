import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '../../common/errors/unavailable.js';
import { MediaReaderPool, type MediaReader } from './media-reader-pool.js';
import type { FromReader, Readings, Task, ToReader } from './media-reader.messages.js';
import { type ProcessLimits, watchProcess } from './process-limits.js';
import { badUpload, invalidFile } from './upload-errors.js';
import type { ReadRange } from './video-layout.rules.js';

/** Limits per file. On a busy machine the wall time far exceeds the processor time. */
const LIMITS: ProcessLimits = { memoryMib: 384, processorMs: 5_000, wallMs: 30_000 };
/** Limits on the ranges that one file may request and on their total bytes. */
const MAX_READS = 12_000;
const MAX_READ_BYTES = 128 * 1024 * 1024;

/** Owner of the file, and the signal of the shutdown. */
export interface OnBehalf {
  userId: string;
  signal?: AbortSignal;
}

/** The reader exited or was killed. */
class ReaderGone extends Error {}

const TOO_COSTLY = 'cannot be read within the limits of time and memory';

/**
 * Reads and decodes untrusted files in processes with no environment, no handles and limited resources. A file that ends
 * its process is rejected. Callers limit the concurrency.
 */
@Injectable()
export class MediaReaders implements OnApplicationShutdown {
  private readonly pool = new MediaReaderPool();

  /** Tells waiting callers to retry later; everything else has ended by now. */
  onApplicationShutdown(): void {
    this.pool.close();
  }

  /**
   * Runs a task on a file whose bytes `read` returns. Throws a rejection if the file is at fault, the error of `read`
   * if reading failed, and Unavailable on shutdown (`signal`) or if no process can start.
   */
  async read<K extends keyof Readings>(
    what: K,
    task: Readings[K]['task'],
    read: ReadRange,
    { userId, signal }: OnBehalf,
  ): Promise<Readings[K]['found']> {
    for (;;) {
      const reader = this.pool.take(userId);
      const isFirst = reader.served++ === 0;
      try {
        const found = await this.asked(reader, { what, ...task } as unknown as Task, read, signal);
        return found as Readings[K]['found'];
      } catch (error) {
        if (this.pool.isClosed) throw new Unavailable('the process stops');
        if (!this.pool.has(reader)) this.pool.suspect(userId);
        if (!(error instanceof ReaderGone)) throw error;
        // only the first file of a process is blamed, since earlier files may have damaged the process
        if (isFirst) throw invalidFile(TOO_COSTLY);
      }
    }
  }

  private asked(reader: MediaReader, task: Task, read: ReadRange, signal?: AbortSignal): Promise<unknown> {
    const { child } = reader;
    let outage: Error | undefined;
    let reads = 0;
    let bytes = 0;
    // total time spent waiting for bytes, and the start of the current wait
    let waitedMs = 0;
    let waitsSince: number | undefined;
    const send = (message: ToReader) => {
      if (child.connected) child.send(message, () => undefined);
    };
    const serve = async ({ id, start, end }: FromReader & { kind: 'range' }) => {
      reads++;
      bytes += end - start;
      if (!(reads <= MAX_READS && bytes <= MAX_READ_BYTES && start >= 0)) return send({ kind: 'bytes', id });
      waitsSince = performance.now();
      const answer = await read(start, end).catch((error: Error) => void (outage = error));
      waitedMs += performance.now() - waitsSince;
      waitsSince = undefined;
      send({ kind: 'bytes', id, ...(answer && { bytes: answer }) });
    };
    const overLimit = (limit: keyof ProcessLimits): Error => {
      const waited = waitedMs + (waitsSince === undefined ? 0 : performance.now() - waitsSince);
      return limit === 'wallMs' && waited > LIMITS.wallMs / 2
        ? new Unavailable('the blob store answers too slowly')
        : invalidFile(TOO_COSTLY);
    };
    return new Promise((resolve, reject) => {
      const settle = (end: () => void, isFit = false) => {
        stopWatching();
        child.off('message', hear).off('exit', gone).off('error', gone);
        signal?.removeEventListener('abort', abort);
        if (isFit) this.pool.keep(reader);
        else this.pool.discard(reader);
        end();
      };
      const hear = (message: FromReader) => {
        if (message.kind === 'range') return void serve(message);
        settle(() => {
          if (outage) reject(outage);
          else if (message.kind === 'found') resolve(message.found);
          else reject(badUpload(message.why));
        }, true);
      };
      const gone = () => settle(() => reject(new ReaderGone()));
      const abort = () => settle(() => reject(new Unavailable('the process stops')));
      const stopWatching = watchProcess(child.pid!, LIMITS, (limit) => settle(() => reject(overLimit(limit))));
      child.on('message', hear).on('exit', gone).on('error', gone);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
      else send({ kind: 'read', task });
    });
  }
}
