import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import {
  access,
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  assertKey,
  BlobStore,
  BlobStoreUnavailable,
  MeasuredContent,
  type BlobMetadata,
  type ByteRange,
  type OpenBlob,
  type StoredBlob,
} from './blob-store.js';

/** No key begins with a dot. */
const UNFINISHED = '.unfinished';
const MARKER = '.marker';

/** Files below a folder that only this user can access. Replicas share the files if they share the folder. */
export class DiskBlobStore extends BlobStore {
  constructor(readonly folder: string) {
    super();
  }

  /** Creates the folder, or rejects with the system error when it is not writable. */
  async prepare(): Promise<void> {
    const drafts = join(this.folder, UNFINISHED);
    await makeFolder(drafts);
    await access(drafts, constants.W_OK | constants.X_OK);
  }

  /** A text that identifies this folder. The first process that needs it creates it, in a file. */
  async marker(): Promise<string> {
    const path = join(this.folder, MARKER);
    const draft = join(this.folder, UNFINISHED, randomBytes(12).toString('hex'));
    await writeFile(draft, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
    try {
      // fails if the file exists, and a name never refers to a partial file
      await link(draft, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return (await readFile(path, 'utf8')).trim();
    } finally {
      await rm(draft, { force: true });
    }
  }

  async put(key: string, content: Readable, { length }: BlobMetadata): Promise<StoredBlob> {
    const path = this.pathOf(key);
    const measured = new MeasuredContent(content, length);
    const draft = join(this.folder, UNFINISHED, randomBytes(12).toString('hex'));
    try {
      await makeFolder(dirname(draft));
      // Flushed before it is closed, so that no name refers to data that a power failure loses.
      await pipeline(measured.stream, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
      const stored = measured.stored();
      await publish(draft, path);
      return stored;
    } catch (error) {
      measured.stream.destroy();
      await rm(draft, { force: true }).catch(() => undefined);
      throw measured.failure ?? asOutage(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenBlob | undefined> {
    const file = await opened(this.pathOf(key));
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      if (range && (range.first > range.last || range.last >= size)) {
        throw new RangeError(`bytes ${range.first} to ${range.last} of ${size}`);
      }
      const content = file.createReadStream(range && { start: range.first, end: range.last });
      return { content, size, ...(range && { range }) };
    } catch (error) {
      await file.close();
      throw asOutage(error);
    }
  }

  async stat(key: string): Promise<{ size: number } | undefined> {
    const path = this.pathOf(key);
    return orNothing(async () => {
      const found = await stat(path);
      return found.isFile() ? { size: found.size } : undefined;
    });
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    await orNothing(() => rm(path));
  }

  async deleteBelow(key: string): Promise<void> {
    const path = this.pathOf(key);
    await orNothing(() => rm(path, { recursive: true, force: true }));
  }

  async removeLeftovers(before: Date): Promise<number> {
    const folder = join(this.folder, UNFINISHED);
    let removed = 0;
    for (const name of (await orNothing(() => readdir(folder))) ?? []) {
      const draft = join(folder, name);
      const found = await orNothing(() => stat(draft));
      if (!found || found.mtimeMs >= before.getTime()) continue;
      await orNothing(() => rm(draft));
      removed++;
    }
    return removed;
  }

  private pathOf(key: string): string {
    assertKey(key);
    return join(this.folder, ...key.split('/'));
  }
}

const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });

/** Renames a finished file, durably even after a power failure. */
async function publish(draft: string, path: string): Promise<void> {
  const folder = dirname(path);
  for (let attempt = 1; ; attempt++) {
    await makeFolder(folder);
    try {
      await rename(draft, path);
      break;
    } catch (error) {
      // The folder was deleted in between.
      if (codeOf(error) !== 'ENOENT' || attempt === 3) throw error;
    }
  }
  const parent = await opened(folder);
  try {
    await parent?.sync();
  } finally {
    await parent?.close();
  }
}

const opened = (path: string): Promise<FileHandle | undefined> => orNothing(() => open(path, 'r'));

/** The result, or undefined when the file does not exist. */
async function orNothing<R>(work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw asOutage(error);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code;

/** A disk that is full, read-only or failing, and a process with too many open files. */
const OUTAGES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE', 'ETIMEDOUT', 'ENODEV']);

const asOutage = (error: unknown) => (OUTAGES.has(codeOf(error) ?? '') ? new BlobStoreUnavailable(error) : error);
