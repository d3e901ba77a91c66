import { fileTypeFromBuffer } from 'file-type';
import type { UploadedType, UploadPurpose } from '../entities/media.entity.js';
import { isWebVtt } from './subtitles.rules.js';
import { invalidFile } from './upload-errors.js';

/** Number of leading bytes that identify a file. */
export const HEAD_BYTES = 4_100;

/** The type of a file, detected from its bytes. */
export interface MediaKind {
  mediaType: UploadedType;
  /** Content type for serving the file. */
  contentType: string;
  ending: string;
}

const IMAGE = (contentType: string, ending: string): MediaKind => ({ mediaType: 'IMAGE', contentType, ending });
const VIDEO = (contentType: string, ending: string): MediaKind => ({ mediaType: 'VIDEO', contentType, ending });

const WEB_VTT: MediaKind = { mediaType: 'SUBTITLES', contentType: 'text/vtt', ending: 'vtt' };
const SRT: MediaKind = { mediaType: 'SUBTITLES', contentType: 'text/srt', ending: 'srt' };

/** Kinds by detected media type. */
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

const TAKEN =
  'PNG, JPEG, GIF, BMP or WEBP images, MP4 or MOV videos, and SRT or WebVTT texts with media_category subtitles';

/** Signatures of formats other than images and videos, which some clients would interpret. */
const FOREIGN = ['%PDF-', '<!doctype', '<html', '<script', '<svg', '<?php'];

/** Detects the kind of a file from its first bytes; rejects unsupported files. No signature tells that a text is SRT. */
export async function mediaKindOf(head: Buffer, category: UploadPurpose | null): Promise<MediaKind> {
  if (head.length === 0) throw invalidFile('is empty');
  const found = await fileTypeFromBuffer(head);
  if (category === 'SUBTITLES' && (!found || isTextOf(found.mime, head)))
    return isWebVtt(head.toString('utf8', 0, 16)) ? WEB_VTT : SRT;
  const kind = found && KINDS[found.mime];
  if (!kind)
    throw invalidFile(`is ${found ? `of the type ${found.mime}` : 'of an unknown type'}; allowed are ${TAKEN}`);
  const foreign = foreignSignature(head);
  if (foreign)
    throw invalidFile(`begins like a ${kind.ending} but also contains ${foreign}: a file must have only one format`);
  return kind;
}

/** True for a text that has a signature, also for one in UTF-16, whose first bytes some sounds have, too. */
const isTextOf = (mime: string, head: Buffer): boolean =>
  mime.startsWith('text/') || mime === 'application/x-subrip' || ['fffe', 'feff'].includes(head.toString('hex', 0, 2));

/** Returns the signature of another format near the beginning of a file. */
export function foreignSignature(head: Buffer): string | undefined {
  const beginning = head.toString('latin1', 0, 1024).toLowerCase();
  return FOREIGN.find((mark) => beginning.includes(mark.toLowerCase()));
}
