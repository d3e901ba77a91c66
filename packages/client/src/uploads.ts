import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { components } from '../api.js';
import { MarqueeError } from './errors.js';
import type { Calls } from './calls.js';

export type Media = components['schemas']['MediaUploadView'];

/** A path, bytes, or a stream of a known size. */
export type UploadSource = string | Uint8Array | Blob | { stream: AsyncIterable<Uint8Array>; size: number };

export interface UploadProgress {
  state: 'UPLOADING' | 'PROCESSING';
  uploadedBytes: number;
  totalBytes: number;
  /** How much of the file the service has processed. */
  processedPercent: number;
}

export interface UploadOptions {
  /** Purpose of the file. Without it the media has no `media_key`. */
  category?: components['schemas']['UploadCategory'];
  /** The media type, such as `video/mp4`. The service detects it from the bytes. */
  type?: string;
  /** Ids of users who may use the file besides its uploader. */
  additionalOwners?: string[];
  onProgress?(progress: UploadProgress): void;
  /** At most 5 MiB, the default. */
  segmentBytes?: number;
  /** How long to wait for the service to process the file, by default 10 minutes. */
  processingTimeoutMs?: number;
  signal?: AbortSignal;
}

const PATH = '/1.1/media/upload';
const SEGMENT_BYTES = 5 * 1024 * 1024;
const PROCESSING_MS = 10 * 60_000;
const MAX_POLL_SECONDS = 10;

/** @internal Uploads a file in segments and waits until the service has processed it. Holds one segment in memory. */
export async function upload(calls: Calls, source: UploadSource, options: UploadOptions = {}): Promise<Media> {
  const { category, additionalOwners, segmentBytes = SEGMENT_BYTES, signal } = options;
  const { content, size, type } = await contentOf(source, options);
  const post = async (fields: Fields, segment?: Blob) =>
    (await calls.POST(PATH, { body: multipart(fields, segment), signal })).data as Media;
  const report = (uploadedBytes: number, info?: Media['processing_info']) =>
    options.onProgress?.({
      state: info ? 'PROCESSING' : 'UPLOADING',
      uploadedBytes,
      totalBytes: size,
      processedPercent: info?.progress_percent ?? 0,
    });

  const about = { media_type: type, media_category: category, additional_owners: additionalOwners };
  const { media_id_string: id } = await post({ command: 'INIT', total_bytes: size, ...about });
  report(0);
  let sent = 0;
  let index = 0;
  for await (const segment of segmentsOf(content, segmentBytes)) {
    await post({ command: 'APPEND', media_id: id, segment_index: index++ }, new Blob(segment));
    sent += segment.reduce((sum, { length }) => sum + length, 0);
    report(sent);
  }
  const finished = await post({ command: 'FINALIZE', media_id: id });
  return processed(calls, finished, { ...options, report: (info) => report(sent, info) });
}

type Waiting = UploadOptions & { report: (info: Media['processing_info']) => void };

/** Polls the status until the file is processed. */
async function processed({ GET }: Calls, finished: Media, { report, signal, ...options }: Waiting): Promise<Media> {
  const deadline = performance.now() + (options.processingTimeoutMs ?? PROCESSING_MS);
  const query = { command: 'STATUS', media_id: finished.media_id_string };
  for (let media = finished; ;) {
    const info = media.processing_info;
    if (!info) return media;
    report(info);
    if (info.state === 'succeeded') return media;
    if (info.state === 'failed') throw rejected(media);
    if (performance.now() > deadline) throw new Error(`The service is still processing media ${query.media_id}`);
    await pause(Math.min(MAX_POLL_SECONDS, info.check_after_secs ?? 1) * 1_000, undefined, { signal });
    media = (await GET(PATH, { params: { query }, signal })).data as Media;
  }
}

/** The service reports a rejected file in a successful response. */
function rejected(media: Media): MarqueeError {
  const { name: code = '', message = 'The service rejected the file' } = media.processing_info?.error ?? {};
  const body = { errors: [{ code, message, parameter: 'media' }], ...media };
  return new MarqueeError({ status: 200, headers: new Headers(), body, attempts: 1 });
}

type Fields = Record<string, string | number | string[] | undefined>;

/** The service expects the file behind the fields. */
function multipart(fields: Fields, segment?: Blob): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  if (segment) form.append('media', segment, 'media');
  return form;
}

interface Content {
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  size: number;
  type: string;
}

async function contentOf(source: UploadSource, { type = 'application/octet-stream' }: UploadOptions): Promise<Content> {
  if (typeof source === 'string') return { content: fileContent(source), size: (await stat(source)).size, type };
  if (source instanceof Uint8Array) return { content: [source], size: source.length, type };
  if (source instanceof Blob) return { content: source.stream(), size: source.size, type: source.type || type };
  return { content: source.stream, size: source.size, type };
}

/** Opens the file when it is read. */
async function* fileContent(path: string): AsyncGenerator<Uint8Array, void> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

/** @internal Divides content into segments of `size` bytes, each as the pieces that it arrived in. The last segment may be shorter. */
export async function* segmentsOf(
  content: Content['content'],
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>[], void> {
  let segment: Uint8Array<ArrayBuffer>[] = [];
  let missing = size;
  for await (const piece of content) {
    for (let from = 0; from < piece.length;) {
      const part = piece.subarray(from, from + missing) as Uint8Array<ArrayBuffer>;
      segment.push(part);
      from += part.length;
      missing -= part.length;
      if (missing > 0) continue;
      yield segment;
      segment = [];
      missing = size;
    }
  }
  if (segment.length > 0) yield segment;
}
