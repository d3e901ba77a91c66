import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '../../common/errors/unavailable.js';
import { MEDIA_READERS } from './media-limits.js';
import type { FromReader, Readings, Task, ToReader } from './media-reader.messages.js';
import { type ProcessLimits, residentMibOf, watchProcess } from './process-limits.js';
import { badUpload, invalidFile } from './upload-errors.js';
import type { ReadRange } from './video-layout.rules.js';

/** Beside this file in compiled code. Tests run the sources and use the build output. The image has a bundle. */
const READER = [
  './media-reader.process.js',
  '../../../dist/src/creatives/media-inspection/media-reader.process.js',
  '../../../../bin/media-reader.mjs',
]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

const HEAP_MIB = 256;
/** Limits per file. On a busy machine the wall time far exceeds the processor time. */
const LIMITS: ProcessLimits = { memoryMib: 384, processorMs: 5_000, wallMs: 30_000 };
/** Limits on the ranges that one file may request and on their total bytes. */
const MAX_READS = 12_000;
const MAX_READ_BYTES = 128 * 1024 * 1024;
/** An idle process ends after this time. */
const IDLE_MS = 60_000;
/** An idle process that uses more memory ends immediately. */
const MAX_IDLE_MIB = 192;

const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 1_000;

/** Owner of the file, and the signal of the shutdown. */
export interface OnBehalf {
  userId: string;
  signal?: AbortSignal;
}

interface Reader {
  child: ChildProcess;
  /** Number of files that the process has read. */
  served: number;
  idleTimer?: NodeJS.Timeout;
}

/** The reader exited or was killed. */
class ReaderGone extends Error {}

const TOO_COSTLY = 'cannot be read: that takes more time or memory than a file may take';

/**
 * Processes that read and decode untrusted files. They have no environment, no handles and limited resources. A file
 * that ends its process is rejected. Callers limit the concurrency.
 */
@Injectable()
export class MediaReaders implements OnApplicationShutdown {
  private readonly idle: Reader[] = [];
  private readonly all = new Set<Reader>();
  /** Users whose files ended a reader, with the time when the suspicion expires. */
  private readonly suspects = new Map<string, number>();
  private isOver = false;

  /** Tells waiting callers to retry later; everything else has ended by now. */
  onApplicationShutdown(): void {
    this.isOver = true;
    for (const reader of [...this.all]) this.discard(reader);
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
      const reader = this.take(userId);
      const isFirst = reader.served++ === 0;
      try {
        const found = await this.asked(reader, { what, ...task } as unknown as Task, read, signal);
        return found as Readings[K]['found'];
      } catch (error) {
        if (this.isOver) throw new Unavailable('the process stops');
        if (!this.all.has(reader)) this.suspect(userId);
        if (!(error instanceof ReaderGone)) throw error;
        // only the first file of a process is blamed, since earlier files may have damaged the process
        if (isFirst) throw invalidFile(TOO_COSTLY);
      }
    }
  }

  private asked(reader: Reader, task: Task, read: ReadRange, signal?: AbortSignal): Promise<unknown> {
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
        ? new Unavailable('the store of files answers too slowly')
        : invalidFile(TOO_COSTLY);
    };
    return new Promise((resolve, reject) => {
      const settle = (end: () => void, isFit = false) => {
        stopWatching();
        child.off('message', hear).off('exit', gone).off('error', gone);
        signal?.removeEventListener('abort', abort);
        if (isFit) this.keep(reader);
        else this.discard(reader);
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

  /** Users whose files recently ended a reader get new processes, so that ready ones remain for other users. */
  private suspect(userId: string): void {
    if (this.suspects.size >= MAX_SUSPECTS) this.suspects.clear();
    this.suspects.set(userId, performance.now() + SUSPECT_MS);
  }

  private take(userId: string): Reader {
    if (this.isOver) throw new Unavailable('the process stops');
    const found = (this.suspects.get(userId) ?? 0) > performance.now() ? undefined : this.idle.pop();
    if (found) {
      clearTimeout(found.idleTimer);
      return found;
    }
    return this.start();
  }

  private start(): Reader {
    if (READER === undefined) throw new Error('the reader of media is not built');
    const child = forked(READER);
    // the waiting caller receives the error
    child.on('error', () => undefined).unref();
    child.channel?.unref();
    if (child.pid === undefined) throw new Unavailable('no process can be started to read media');
    const reader: Reader = { child, served: 0 };
    this.all.add(reader);
    child.once('exit', () => this.discard(reader));
    return reader;
  }

  private keep(reader: Reader): void {
    if (!this.all.has(reader)) return;
    const isFull = this.idle.length >= MEDIA_READERS || (residentMibOf(reader.child.pid!) ?? 0) > MAX_IDLE_MIB;
    if (isFull) return this.discard(reader);
    reader.idleTimer = setTimeout(() => this.discard(reader), IDLE_MS).unref();
    this.idle.push(reader);
  }

  private discard(reader: Reader): void {
    if (!this.all.delete(reader)) return;
    clearTimeout(reader.idleTimer);
    const at = this.idle.indexOf(reader);
    if (at >= 0) this.idle.splice(at, 1);
    reader.child.kill('SIGKILL');
  }
}

function forked(program: string): ChildProcess {
  try {
    return fork(program, [], {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MIB}`, '--max-semi-space-size=16'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    throw new Unavailable('no process can be started to read media', { cause: error });
  }
}
