import type { Socket } from 'node:net';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.js';

/** A command that the running service is to run, sent as JSON. */
export interface CommandRequest {
  argv: string[];
  /** The standard input of the command: a password. */
  stdin?: string;
  /** Where it was given: what its paths are relative to. */
  cwd?: string;
  /** The width of its terminal in columns. */
  width?: number;
  /** True if its terminal displays more than ASCII. */
  unicode?: boolean;
  /** True if the result is preceded by lines of progress, each of them a `ProgressFrame`. */
  progress?: boolean;
}

/**
 * The progress of the command. Sent as JSON and a line feed, and only to a command that asks for it: a service that does not know
 * these frames sends the result alone, and a command that does not know them receives none.
 */
export interface ProgressFrame {
  progress: string;
}

/** The last part of the answer, without a line feed: what the command printed, and its exit code. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/**
 * Reads until the other side ends its half of the connection, and returns what follows the last line that `onLine` was called
 * with; without `onLine` this is everything. Rejects beyond `max` bytes, and where the connection is lost.
 */
export function readToEnd(socket: Socket, maxBytes = Infinity, onLine?: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
      if (size > maxBytes) return void socket.destroy(new Error(`more than ${maxBytes} bytes arrived`));
      let rest: Buffer = chunk;
      for (let end = rest.indexOf(10); onLine && end >= 0; end = rest.indexOf(10)) {
        onLine(Buffer.concat([...chunks, rest.subarray(0, end)]).toString('utf8'));
        chunks = [];
        rest = rest.subarray(end + 1);
      }
      chunks.push(rest);
    });
    socket.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was lost')));
  });
}

/** The text of a progress frame; undefined for a line of another kind. */
export function progressOf(line: string): string | undefined {
  try {
    const { progress } = (JSON.parse(line) ?? {}) as Partial<Record<keyof ProgressFrame, unknown>>;
    return typeof progress === 'string' ? progress : undefined;
  } catch {
    return undefined;
  }
}

export function isCommandRequest(value: unknown): value is CommandRequest {
  const { argv, stdin, cwd, width, unicode, progress } = (value ?? {}) as Partial<
    Record<keyof CommandRequest, unknown>
  >;
  return (
    Array.isArray(argv) &&
    argv.every((each) => typeof each === 'string') &&
    [stdin, cwd].every((each) => each === undefined || typeof each === 'string') &&
    (width === undefined || typeof width === 'number') &&
    [unicode, progress].every((each) => each === undefined || typeof each === 'boolean')
  );
}

/** Systems allow 103 to 107 bytes for the path of a socket, and it is bound under a slightly longer path first. */
const MAX_BYTES = 95;

/** The socket on which a running service listens for commands. */
export interface AdminPath {
  path: string;
  /** Its private folder, if that is in a shared one and must be checked before use. */
  folder?: string;
}

/** In the data directory or, if that path is too long for a socket, in a folder of ours in the temporary directory. */
export function adminPath(dataDir: string, temporary = tmpdir()): AdminPath {
  const inDataDir = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(inDataDir) <= MAX_BYTES) return { path: inDataDir };
  return inFolder(existsSync(dataDir) ? realpathSync(dataDir) : dataDir, temporary);
}

/**
 * For a service with a PostgreSQL server: by its listening address, which is unique on the machine, since replicas may share a
 * data directory.
 */
export const replicaAdminPath = ({ host, port }: Pick<Config, 'host' | 'port'>): AdminPath =>
  inFolder(`${host}:${port}`, tmpdir());

function inFolder(what: string, temporary: string): AdminPath {
  const folder = join(temporary, `marquee-${process.getuid?.() ?? 0}`);
  const name = createHash('sha256').update(what).digest('hex').slice(0, 24);
  return { path: join(folder, `${name}.sock`), folder };
}

/** True if the folder belongs to this user and nobody else may enter it. Others could have created it before us. */
export function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

/** Creates the folder for this user only; throws where one with other permissions exists. */
export function ensurePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) throw new Error(`${folder} must be a folder that only this user can access`);
}
