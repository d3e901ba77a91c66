import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';

/** Systems allow 103 to 107 bytes for the path of a socket, and it is bound under a slightly longer path first. */
const MAX_BYTES = 95;

/** Where a running service listens for commands. */
export interface AdminPath {
  path: string;
  /** Its folder, where that is a shared one, in which only this user's own folder may be trusted. */
  folder?: string;
}

/** In the data directory, or, where its path is too long for a socket, in a folder of ours under the temporary one. */
export function adminPath(dataDir: string, temporary = tmpdir()): AdminPath {
  const inDataDir = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(inDataDir) <= MAX_BYTES) return { path: inDataDir };
  return inFolder(existsSync(dataDir) ? realpathSync(dataDir) : dataDir, temporary);
}

/**
 * For a service on a server store, by what no other process of this machine has: where it listens. Replicas may share a
 * data directory.
 */
export const replicaAdminPath = ({ host, port }: Pick<Config, 'host' | 'port'>, temporary = tmpdir()): AdminPath =>
  inFolder(`${host}:${port}`, temporary);

function inFolder(what: string, temporary: string): AdminPath {
  const folder = join(temporary, `marquee-${process.getuid?.() ?? 0}`);
  const name = createHash('sha256').update(what).digest('hex').slice(0, 24);
  return { path: join(folder, `${name}.sock`), folder };
}

/** Whether this is a folder of this user that nobody else may enter; others can create one of its name before us. */
export function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

/** Creates the folder so that only this user may enter it; throws where there is one that is not so. */
export function ensurePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) throw new Error(`${folder} has to be a folder that only this user may enter`);
}
