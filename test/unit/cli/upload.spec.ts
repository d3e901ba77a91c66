import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pair } from '../../../src/auth/signature/signature.js';
import { FILE_PARAMETERS, inspectFile, isUploadedInSegments, splitFile } from '../../../src/cli/request/upload-file.js';
import {
  isFailed,
  multipart,
  type MultipartDraft,
  uploadInSegments,
  type UploadSteps,
} from '../../../src/cli/request/upload.js';
import type { Draft } from '../../../src/cli/request/draft.js';

const MIB = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const MP4 = Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex');

const folder = mkdtempSync(join(tmpdir(), 'marquee-upload-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that begins like this and is so long. */
function file(name: string, head: Buffer, size = head.length): string {
  const path = join(folder, name);
  writeFileSync(path, head);
  truncateSync(path, size);
  return path;
}

const UPLOAD = { method: 'POST', path: '/1.1/media/upload.json' } as const;

describe('which parameters name a file', () => {
  it('is what the OpenAPI document says of them', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        [...JSON.stringify(operation).matchAll(/"(\w+)":\{"type":"string","format":"binary"/g)].map(
          ([, name]) => `${method.toUpperCase()} ${path} ${name}`,
        ),
      ),
    );
    const known = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) =>
        FILE_PARAMETERS.filter((each) => each.method === method.toUpperCase() && each.path.test(path)).map(
          ({ name }) => `${method.toUpperCase()} ${path} ${name}`,
        ),
      ),
    );
    // a body may be JSON, too
    expect(new Set(described).size).toBe(4);
    expect(known).toEqual([...new Set(described)]);
  });

  it.each([
    '/1.1/media/upload',
    '1.1/media/upload.json',
    'http://localhost:3000/1.1/media/upload.json?media_category=x',
  ])('media of POST %s', (path) => {
    const rest: Pair[] = [['media_category', '@post']];
    expect(splitFile({ method: 'POST', path }, [['media', '@a b.png'], ...rest])).toEqual({
      file: { name: 'media', path: 'a b.png' },
      rest,
    });
  });

  it.each([
    ['POST', '/12/accounts/:account_id/draft_posts', 'text', '@friend hi'],
    ['POST', '/12/accounts/:account_id/draft_posts', 'media', '@friend'],
    ['GET', '/1.1/media/upload.json', 'media', '@friend'],
    ['POST', '/1.1/media/upload.json', 'media_data', '@friend'],
    ['POST', '/1.1/media/upload.json', 'media', 'friend'],
  ] as const)('not: %s %s %s=%s, which is a text', (method, path, name, value) => {
    expect(splitFile({ method, path }, [[name, value]])).toEqual({ rest: [[name, value]] });
  });

  it('refuses two of them, one without a path, and one beside a JSON body', () => {
    const media: Pair = ['media', '@a'];
    expect(() => splitFile(UPLOAD, [media, media])).toThrow('media names 2 files; a request can have only one');
    expect(() => splitFile(UPLOAD, [['media', '@']])).toThrow('media=@ names no file');
    expect(() => splitFile({ ...UPLOAD, json: '{}' }, [media])).toThrow('media=@a and --json cannot be combined');
  });
});

describe('a file', () => {
  const inspect = (path: string, category?: string) => inspectFile({ name: 'media', path }, category);

  it('is known by its bytes, and goes in segments when it is large or a video', async () => {
    const picture = await inspect(file('picture', PNG, 5 * MIB), 'post_image');
    expect(picture).toMatchObject({ size: 5 * MIB, type: 'image/png' });
    expect(isUploadedInSegments(picture, 'post_image')).toBe(false);
    const video = await inspect(file('video', MP4), 'post_video');
    expect(video.type).toBe('video/mp4');
    expect([isUploadedInSegments(video), isUploadedInSegments(picture, 'amplify_video')]).toEqual([true, true]);
    const gif = await inspect(file('a.gif', Buffer.from('GIF89a'), 5 * MIB + 1), 'POST_GIF');
    expect(isUploadedInSegments(gif)).toBe(true);
    expect(await inspect(file('text', Buffer.from('hello')))).toMatchObject({ type: 'application/octet-stream' });
  });

  it('that cannot be uploaded is refused in a sentence with parameter and path', async () => {
    mkdirSync(join(folder, 'photos'));
    const refused = (name: string, category?: string) =>
      inspect(join(folder, name), category).catch((error: Error) => error.message.replaceAll(`${folder}/`, ''));
    expect(await refused('nothing.png')).toBe('media: nothing.png does not exist');
    expect(await refused('photos')).toBe('media: photos is a directory; name a file');
    file('empty.png', Buffer.alloc(0));
    expect(await refused('empty.png')).toBe('media: empty.png is empty');
    file('large.png', PNG, 5 * MIB + 1);
    expect(await refused('large.png', 'Post_Image')).toBe(
      'media: large.png has 5242881 bytes; media_category post_image has at most 5242880 bytes (5 MiB)',
    );
    expect(await refused('large.png')).toBe(
      'media: large.png has 5242881 bytes; an image has at most 5242880 bytes (5 MiB)',
    );
    expect(await inspect('/dev/null').catch((error: Error) => error.message)).toContain('/dev/null is not a regular');
  });

  it('is the last part of a body', () => {
    const bytes = Buffer.from([0, 255, 13, 10]);
    const { headers, body } = multipart({ method: 'POST', url: 'http://x/', headers: [], form: [] }, [['a', 'ü']], {
      name: 'media',
      path: 'folder/a "b".png',
      bytes,
    });
    const boundary = headers[0][1].split('boundary=')[1];
    const text = Buffer.from(body).toString('latin1');
    expect(text).toBe(
      `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${Buffer.from('ü').toString('latin1')}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="media"; filename="a %22b%22.png"\r\n` +
        `Content-Type: application/octet-stream\r\n\r\n${bytes.toString('latin1')}\r\n--${boundary}--\r\n`,
    );
  });
});

describe('an upload in segments', () => {
  const answer = (status: number, body?: object) =>
    new Response(body ? JSON.stringify(body) : null, { status, headers: { 'content-type': 'application/json' } });
  const pending = { media_id_string: '7', processing_info: { state: 'pending', check_after_secs: 0 } };

  /** Uploads 12 MiB; `answers` are given one by one. */
  async function upload(answers: Response[]) {
    const sent: string[] = [];
    const shown: (string | undefined)[] = [];
    const steps: UploadSteps = {
      request: (method, query) => ({
        method,
        url: `http://x/${query.length > 0 ? `?${query.map((pair) => pair.join('=')).join('&')}` : ''}`,
        headers: [],
        form: [],
      }),
      send: async (request: Draft | MultipartDraft) => {
        const text = Buffer.from(request.body ?? '').toString('latin1');
        const fields = [...text.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(([, name, value]) => `${name}=${value}`);
        const size = /octet-stream\r\n\r\n([^]*)\r\n--marquee-/.exec(text)?.[1].length;
        sent.push([request.method, new URL(request.url).search, ...fields, ...(size ? [size] : [])].join(' ').trim());
        return answers.shift()!;
      },
      progress: (text) => void shown.push(text),
    };
    const large = { name: 'media', path: file('large.mp4', MP4, 12 * MIB), size: 12 * MIB, type: 'video/mp4' };
    const result = await uploadInSegments(steps, [['media_category', 'post_video']], large);
    return { sent, shown, result };
  }

  it('begins, sends the segments, ends, and asks until it is processed', async () => {
    const last = { media_id_string: '7', processing_info: { state: 'succeeded' } };
    const { sent, shown, result } = await upload([
      answer(202, { media_id_string: '7' }),
      ...[1, 2, 3].map(() => answer(204)),
      answer(200, pending),
      answer(200, { ...pending, processing_info: { state: 'in_progress', progress_percent: 50, check_after_secs: 0 } }),
      answer(200, last),
    ]);
    expect(sent).toEqual([
      `POST  command=INIT total_bytes=${12 * MIB} media_type=video/mp4 media_category=post_video`,
      `POST  command=APPEND media_id=7 segment_index=0 ${5 * MIB}`,
      `POST  command=APPEND media_id=7 segment_index=1 ${5 * MIB}`,
      `POST  command=APPEND media_id=7 segment_index=2 ${2 * MIB}`,
      'POST  command=FINALIZE media_id=7',
      'GET ?command=STATUS&media_id=7',
      'GET ?command=STATUS&media_id=7',
    ]);
    expect(shown).toEqual([
      'uploaded 0 % of 12.0 MiB',
      'uploaded 41 % of 12.0 MiB',
      'uploaded 83 % of 12.0 MiB',
      'uploaded 100 % of 12.0 MiB',
      'processing 0 %',
      'processing 50 %',
      undefined,
    ]);
    expect(await isFailed(result)).toBe(false);
    expect(await result.answer.json()).toEqual(last);
  });

  it('ends with the answer that refuses a request, and clears its line', async () => {
    const { sent, shown, result } = await upload([answer(202, { media_id_string: '7' }), answer(429, {})]);
    expect([sent.length, result.answer.status, shown.at(-1)]).toEqual([2, 429, undefined]);
  });

  it('ends with the status of a file that was refused', async () => {
    const failed = { media_id_string: '7', processing_info: { state: 'failed' } };
    const { result } = await upload([
      answer(202, { media_id_string: '7' }),
      ...[1, 2, 3].map(() => answer(204)),
      answer(200, failed),
    ]);
    expect(await isFailed(result)).toBe(true);
    expect(await result.answer.json()).toEqual(failed);
  });
});
