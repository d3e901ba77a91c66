import { fileTypeFromBuffer } from 'file-type';
import type { MediaType } from '../entities/media.entity.js';
import { invalidFile } from './upload-errors.js';

/** How many bytes tell what a file is. */
export const HEAD_BYTES = 4_100;

/** What a file is by its bytes. */
export interface MediaKind {
  mediaType: MediaType;
  /** The type that it is served with. */
  contentType: string;
  ending: string;
}

const IMAGE = (contentType: string, ending: string): MediaKind => ({ mediaType: 'IMAGE', contentType, ending });
const VIDEO = (contentType: string, ending: string): MediaKind => ({ mediaType: 'VIDEO', contentType, ending });

/** By the media type that is recognised. */
const KINDS: Record<string, MediaKind> = {
  'image/png': IMAGE('image/png', 'png'),
  'image/apng': IMAGE('image/png', 'png'),
  'image/jpeg': IMAGE('image/jpeg', 'jpg'),
  'image/bmp': IMAGE('image/bmp', 'bmp'),
  'image/webp': IMAGE('image/webp', 'webp'),
  'image/gif': { mediaType: 'GIF', contentType: 'image/gif', ending: 'gif' },
  'video/mp4': VIDEO('video/mp4', 'mp4'),
  'video/x-m4v': VIDEO('video/mp4', 'mp4'),
  'video/quicktime': VIDEO('video/quicktime', 'mov'),
};

const TAKEN = 'PNG, JPEG, GIF, BMP or WEBP images, MP4 or MOV videos';

/** What is no image and no video, and would be read as something else by somebody who is told so. */
const FOREIGN = ['%PDF-', '<!doctype', '<html', '<script', '<svg', '<?php'];

/** What a file is, by its first bytes; refused where it is nothing that is taken. */
export async function kindOf(head: Buffer): Promise<MediaKind> {
  if (head.length === 0) throw invalidFile('is empty');
  const found = await fileTypeFromBuffer(head);
  const kind = found && KINDS[found.mime];
  if (!kind)
    throw invalidFile(`is ${found ? `of the type ${found.mime}` : 'of no type that is known'}; taken are ${TAKEN}`);
  const foreign = foreignIn(head);
  if (foreign)
    throw invalidFile(`begins like a ${kind.ending} and holds ${foreign} right after: a file has to be one thing`);
  return kind;
}

/** The mark of another format near the beginning of a file. */
export function foreignIn(head: Buffer): string | undefined {
  const beginning = head.toString('latin1', 0, 1024).toLowerCase();
  return FOREIGN.find((mark) => beginning.includes(mark.toLowerCase()));
}
