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

/** Beside this file where it is compiled; sources are run by tests, which build before. */
const READER = ['./media-reader.process.js', '../../../dist/src/creatives/media-inspection/media-reader.process.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

const HEAP_MIB = 256;
/** What one file may cost. On a busy machine it takes much longer by the clock than on its processor. */
const LIMITS: ProcessLimits = { memoryMib: 384, processorMs: 5_000, wallMs: 30_000 };
/** Ranges that one file may ask for, and their bytes. */
const MAX_READS = 12_000;
const MAX_READ_BYTES = 128 * 1024 * 1024;
/** A process that has had nothing to do for so long ends. */
const IDLE_MS = 60_000;
/** One that holds more when it has nothing to do ends at once. */
const MAX_IDLE_MIB = 192;

const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 1_000;

/** Whose file it is, and what says that the process stops. */
export interface OnBehalf {
  userId: string;
  signal?: AbortSignal;
}

interface Reader {
  child: ChildProcess;
  /** Files that it has read. */
  served: number;
  idleTimer?: NodeJS.Timeout;
}

/** The reader ended by itself, or was ended by somebody else. */
class ReaderGone extends Error {}

const TOO_COSTLY = 'cannot be read: that takes more time or memory than a file may take';

/**
 * Processes that read and decode untrusted files. They have no environment, no handles and no more than their limits; a file
 * that ends one is refused. Callers bound how many are used at a time.
 */
@Injectable()
export class MediaReaders implements OnApplicationShutdown {
  private readonly idle: Reader[] = [];
  private readonly all = new Set<Reader>();
  /** Users whose files ended a reader, and until when that counts. */
  private readonly suspects = new Map<string, number>();
  private isOver = false;

  /** Whoever still waits is told to come back; by now everything else has ended. */
  onApplicationShutdown(): void {
    this.isOver = true;
    for (const reader of [...this.all]) this.discard(reader);
  }

  /**
   * Has a task done about a file, of which `read` gives bytes. Throws a refusal where the file is at fault, the error of `read`
   * where it failed, and Unavailable where the process stops (`signal`) or cannot start another one.
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
        // what an earlier file has done to it is not held against this one
        if (isFirst) throw invalidFile(TOO_COSTLY);
      }
    }
  }

  private asked(reader: Reader, task: Task, read: ReadRange, signal?: AbortSignal): Promise<unknown> {
    const { child } = reader;
    let outage: Error | undefined;
    let reads = 0;
    let bytes = 0;
    // how long it has waited for bytes, and since when it waits
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

  /** Whose files have ended a reader lately gets new ones, so that the others find theirs ready. */
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
    // what it fails with is told to whoever waits for it
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
