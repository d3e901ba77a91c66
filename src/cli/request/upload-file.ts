import { open, stat } from 'node:fs/promises';
import type { Pair } from '../../auth/signature/signature.js';
import {
  CATEGORY_LIMITS,
  CATEGORY_OF_TYPE,
  MAX_BYTES,
  SEGMENT_BYTES,
} from '../../creatives/media-inspection/media-limits.js';
import type { UploadPurpose } from '../../creatives/entities/media.entity.js';
import { Misuse, CommandRefusal } from '../refusal.js';
import type { Method } from './draft.js';

/** The parameters that the OpenAPI document describes as files: path and name. */
export const FILE_PARAMETERS: readonly { method: Method; path: RegExp; name: string }[] = [
  { method: 'POST', path: /\/1\.1\/media\/upload(\.json)?$/, name: 'media' },
  { method: 'POST', path: /\/2\/media\/upload(\/[^/]+\/append)?$/, name: 'media' },
];

/** A parameter with a file. */
export interface NamedFile {
  /** The parameter. */
  name: string;
  path: string;
}

/** A file that exists and is valid for its media category. */
export interface LocalFile extends NamedFile {
  size: number;
  /** The media type, detected from its first bytes. */
  type: string;
}

const HEAD_BYTES = 4_100;
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Splits parameters into the file and the rest. Only a parameter that is a file can name one, so that a text that begins with
 * `@` stays a text everywhere else.
 */
export function splitFile(
  { method, path, json }: { method: Method; path: string; json?: string },
  params: Pair[],
): { file?: NamedFile; rest: Pair[] } {
  const pathname = path.split(/[?#]/, 1)[0];
  const parameter = FILE_PARAMETERS.find((each) => each.method === method && each.path.test(`/${pathname}`));
  const isFile = ([name, value]: Pair) => name === parameter?.name && value.startsWith('@');
  const [file, ...others] = params.filter(isFile);
  if (!file) return { rest: params };
  const [name, value] = file;
  if (others.length > 0) throw new Misuse(`${name} names ${others.length + 1} files; a request can have only one`);
  if (json !== undefined) throw new Misuse(`${name}=${value} and --json cannot be combined`);
  if (value === '@') throw new Misuse(`${name}=@ names no file; write ${name}=@path`);
  return { file: { name, path: value.slice(1) }, rest: params.filter((pair) => pair !== file) };
}

/** Opens a file and checks its size against its category before anything is sent. */
export async function inspectFile({ name, path }: NamedFile, category?: string): Promise<LocalFile> {
  const refuse = (problem: string) => new CommandRefusal(`${name}: ${path} ${problem}`);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw refuse(error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'does not exist' : 'cannot be read');
  });
  if (found.isDirectory()) throw refuse('is a directory; name a file');
  if (!found.isFile()) throw refuse('is not a regular file; a pipe or a device cannot be uploaded');
  if (found.size === 0) throw refuse('is empty');
  const head = await readPart({ name, path }, 0, Math.min(HEAD_BYTES, found.size));
  const { fileTypeFromBuffer } = await import('file-type');
  const type = (await fileTypeFromBuffer(head))?.mime ?? UNKNOWN_TYPE;
  const { label, bytes } = limitOf(type, category);
  if (found.size > bytes)
    throw refuse(`has ${found.size} bytes; ${label} has at most ${bytes} bytes (${bytes / MIB} MiB)`);
  return { name, path, size: found.size, type };
}

const MIB = 1024 * 1024;

function limitOf(type: string, category?: string): { label: string; bytes: number } {
  const named = category?.toUpperCase() as UploadPurpose | undefined;
  if (named && named in CATEGORY_LIMITS)
    return { label: `media_category ${named.toLowerCase()}`, bytes: CATEGORY_LIMITS[named].bytes };
  if (type === 'image/gif') return { label: 'a GIF', bytes: CATEGORY_LIMITS[CATEGORY_OF_TYPE.GIF].bytes };
  if (type.startsWith('image/')) return { label: 'an image', bytes: CATEGORY_LIMITS[CATEGORY_OF_TYPE.IMAGE].bytes };
  return { label: 'a file', bytes: MAX_BYTES };
}

/** Videos are processed after the upload, and one request takes at most 5 MiB comfortably: both go in segments. */
export const isUploadedInSegments = ({ size, type }: LocalFile, category?: string): boolean =>
  size > SEGMENT_BYTES || type.startsWith('video/') || /video$/i.test(category ?? '');

/** Reads bytes of a file at a position. Fails if the file has shrunk. */
export async function readPart({ name, path }: NamedFile, from: number, length: number): Promise<Buffer> {
  const handle = await open(path).catch(() => {
    throw new CommandRefusal(`${name}: ${path} cannot be read`);
  });
  try {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await handle.read(bytes, done, length - done, from + done);
      if (bytesRead === 0) throw new CommandRefusal(`${name}: ${path} changed during the upload`);
      done += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}
