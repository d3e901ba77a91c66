import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.js';

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
export const replicaAdminPath = ({ host, port }: Pick<Config, 'host' | 'port'>, temporary = tmpdir()): AdminPath =>
  inFolder(`${host}:${port}`, temporary);

function inFolder(what: string, temporary: string): AdminPath {
  const folder = join(temporary, `marquee-${process.getuid?.() ?? 0}`);
  const name = createHash('sha256').update(what).digest('hex').slice(0, 24);
  return { path: join(folder, `${name}.sock`), folder };
}

/** Whether the folder belongs to this user and nobody else may enter it. Others could have created it before us. */
export function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

/** Creates the folder for this user only; throws where one with other permissions exists. */
export function ensurePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) throw new Error(`${folder} must be a folder that only this user can access`);
}
