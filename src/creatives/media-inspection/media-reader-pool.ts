import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../../common/errors/unavailable.js';
import { MEDIA_READERS } from './media-limits.js';
import { residentMibOf } from './process-limits.js';

/** Beside this file in compiled code. Tests run the sources and use the build output. The image has a bundle. */
const READER = [
  './media-reader.process.js',
  '../../../dist/src/creatives/media-inspection/media-reader.process.js',
  '../../../../bin/media-reader.mjs',
]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

const HEAP_MIB = 256;
/** An idle process ends after this time. */
const IDLE_MS = 60_000;
/** An idle process that uses more memory ends immediately. */
const MAX_IDLE_MIB = 192;

const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 1_000;

/** A process that reads one file at a time. */
export interface MediaReader {
  child: ChildProcess;
  /** Number of files that the process has read. */
  served: number;
  idleTimer?: NodeJS.Timeout;
}

/** Starts the processes that read media, keeps idle ones, and ends them. */
export class MediaReaderPool {
  private readonly idle: MediaReader[] = [];
  private readonly all = new Set<MediaReader>();
  /** Users whose files ended a reader, with the time when the suspicion expires. */
  private readonly suspects = new Map<string, number>();
  /** Whether all readers have ended and no others start. */
  isClosed = false;

  /** Ends all readers. */
  close(): void {
    this.isClosed = true;
    for (const reader of [...this.all]) this.discard(reader);
  }

  /** Whether the reader still runs. */
  has(reader: MediaReader): boolean {
    return this.all.has(reader);
  }

  /** Users whose files recently ended a reader get new processes, so that ready ones remain for other users. */
  suspect(userId: string): void {
    if (this.suspects.size >= MAX_SUSPECTS) this.suspects.clear();
    this.suspects.set(userId, performance.now() + SUSPECT_MS);
  }

  /** An idle reader or a new one. Throws Unavailable on shutdown or if no process can start. */
  take(userId: string): MediaReader {
    if (this.isClosed) throw new Unavailable('the process stops');
    const found = (this.suspects.get(userId) ?? 0) > performance.now() ? undefined : this.idle.pop();
    if (found) {
      clearTimeout(found.idleTimer);
      return found;
    }
    return this.start();
  }

  private start(): MediaReader {
    if (READER === undefined) throw new Error('the media reader is not built');
    const child = forked(READER);
    // the waiting caller receives the error
    child.on('error', () => undefined).unref();
    child.channel?.unref();
    if (child.pid === undefined) throw new Unavailable('the service cannot start a process to read media');
    const reader: MediaReader = { child, served: 0 };
    this.all.add(reader);
    child.once('exit', () => this.discard(reader));
    return reader;
  }

  /** Keeps a reader for further files, unless enough are idle or it uses too much memory. */
  keep(reader: MediaReader): void {
    if (!this.all.has(reader)) return;
    const isFull = this.idle.length >= MEDIA_READERS || (residentMibOf(reader.child.pid!) ?? 0) > MAX_IDLE_MIB;
    if (isFull) return this.discard(reader);
    reader.idleTimer = setTimeout(() => this.discard(reader), IDLE_MS).unref();
    this.idle.push(reader);
  }

  /** Ends a reader. */
  discard(reader: MediaReader): void {
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
    throw new Unavailable('the service cannot start a process to read media', { cause: error });
  }
}
