import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pair } from '../../auth/signature/signature.js';
import { SEGMENT_BYTES } from '../../creatives/media-inspection/media-limits.js';
import { shareOf } from '../progress.js';
import { CommandRefusal } from '../refusal.js';
import type { Draft } from './draft.js';
import { type LocalFile, readPart } from './upload-file.js';

/** Maximum time for the processing of an uploaded file, longer than it takes until a killed worker's job runs again. */
const PROCESSING_MS = 20 * 60_000;
const MAX_POLL_SECONDS = 10;

/** A request with a multipart body, whose fields are not signed. */
export type MultipartDraft = Omit<Draft, 'body'> & { body: Uint8Array<ArrayBuffer> };

/** The functions that an upload needs. */
export interface UploadSteps {
  /** A GET or a POST without its body, with these parameters in the query of a GET. */
  request(method: 'GET' | 'POST', query: Pair[]): Draft;
  /** Signs and sends one request of the upload. */
  send(request: Draft | MultipartDraft): Promise<Response>;
  /** Shows progress; without a text clears the line. */
  progress(text?: string): void;
}

/** The last answer of an upload, and the request that it answers. */
export interface UploadResult {
  answer: Response;
  sent: { method: string; url: string };
}

/** A multipart request with fields, then at most one file, the order that the service expects. */
export function multipart(request: Draft, fields: Pair[], file?: { name: string; path: string; bytes: Buffer }) {
  const boundary = `marquee-${randomBytes(12).toString('hex')}`;
  const pieces: Buffer[] = fields.map(([name, value]) =>
    Buffer.from(`--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`),
  );
  if (file) {
    const head = `${disposition(file.name)}; filename="${escaped(basename(file.path))}"\r\nContent-Type: application/octet-stream`;
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), file.bytes, Buffer.from('\r\n'));
  }
  const body = new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]));
  const headers: Pair[] = [['content-type', `multipart/form-data; boundary=${boundary}`], ...request.headers];
  return { ...request, headers, body };
}

const disposition = (name: string) => `Content-Disposition: form-data; name="${escaped(name)}"`;
/** Escapes a name in a multipart body as browsers do. */
const escaped = (name: string) => name.replace(/["\r\n]/g, (found) => percentOf[found]);
const percentOf: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };

/** Uploads a file in one request. */
export async function uploadWhole(steps: UploadSteps, fields: Pair[], file: LocalFile): Promise<UploadResult> {
  const bytes = await readPart(file, 0, file.size);
  const request = multipart(steps.request('POST', []), fields, { ...file, bytes });
  return { answer: await steps.send(request), sent: request };
}

/** The fields of the INIT command of a segmented upload. */
export const initFields = (fields: Pair[], { size, type }: LocalFile): Pair[] => [
  ['command', 'INIT'],
  ['total_bytes', `${size}`],
  ['media_type', type],
  ...fields,
];

/** Uploads a file in segments and waits until the service has processed it. Any error answer ends the upload. */
export async function uploadInSegments(steps: UploadSteps, fields: Pair[], file: LocalFile): Promise<UploadResult> {
  const post = async (given: Pair[], bytes?: Buffer): Promise<UploadResult> => {
    const request = multipart(steps.request('POST', []), given, bytes && { ...file, bytes });
    return { answer: await steps.send(request), sent: request };
  };
  try {
    steps.progress(progressOf(0, file.size));
    const begun = await post(initFields(fields, file));
    if (!begun.answer.ok) return begun;
    const id = await mediaIdOf(begun);

    for (let from = 0; from < file.size; from += SEGMENT_BYTES) {
      const bytes = await readPart(file, from, Math.min(SEGMENT_BYTES, file.size - from));
      const index = `${from / SEGMENT_BYTES}`;
      const taken = await post(
        [
          ['command', 'APPEND'],
          ['media_id', id],
          ['segment_index', index],
        ],
        bytes,
      );
      if (!taken.answer.ok) return taken;
      await taken.answer.body?.cancel();
      steps.progress(progressOf(from + bytes.length, file.size));
    }
    return await processed(
      steps,
      id,
      await post([
        ['command', 'FINALIZE'],
        ['media_id', id],
      ]),
    );
  } finally {
    steps.progress();
  }
}

/** Polls the status until the file is processed. */
async function processed(steps: UploadSteps, id: string, finished: UploadResult): Promise<UploadResult> {
  const deadline = performance.now() + PROCESSING_MS;
  for (let last = finished; ;) {
    if (!last.answer.ok) return last;
    const { state, check_after_secs = 1, progress_percent = 0 } = (await bodyOf(last)).processing_info ?? {};
    if (state !== 'pending' && state !== 'in_progress') return last;
    if (performance.now() > deadline)
      throw new CommandRefusal(
        `the service is still processing media_id ${id}; check it with \`marquee request GET /1.1/media/upload.json command=STATUS media_id=${id}\``,
      );
    steps.progress(`processing ${progress_percent} %`);
    await pause(Math.min(MAX_POLL_SECONDS, Math.max(0, check_after_secs)) * 1_000);
    const request = steps.request('GET', [
      ['command', 'STATUS'],
      ['media_id', id],
    ]);
    last = { answer: await steps.send(request), sent: request };
  }
}

interface UploadBody {
  media_id_string?: string;
  processing_info?: { state?: string; check_after_secs?: number; progress_percent?: number };
}

/** Reads the body of an answer, which is printed later. */
async function bodyOf({ answer }: UploadResult): Promise<UploadBody> {
  const parsed: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  const { data, ...body } = (parsed ?? {}) as UploadBody & { data?: UploadBody & { id: string } };
  // as `/2/media/upload` names it
  return data ? { ...data, media_id_string: data.id } : body;
}

async function mediaIdOf(begun: UploadResult): Promise<string> {
  const { media_id_string: id } = await bodyOf(begun);
  if (id === undefined)
    throw new CommandRefusal(`${new URL(begun.sent.url).origin} responded to INIT without media_id_string`);
  return id;
}

export const isFailed = async (result: UploadResult): Promise<boolean> =>
  (await bodyOf(result)).processing_info?.state === 'failed';

const progressOf = (done: number, size: number) => `uploaded ${shareOf(done, size)}`;
