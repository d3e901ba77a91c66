import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, HttpCode, Post, UseGuards, UseInterceptors, Get, Param, Req, Res } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EndpointPolicyGuard } from '../../../src/auth/guards/endpoint-policy.guard.js';
import { Policy } from '../../../src/auth/guards/endpoint-policy.js';
import { EnvelopeInterceptor } from '../../../src/common/http/answers/envelope.interceptor.js';
import { OneOf, Text } from '../../../src/common/http/params/fields.js';
import type { UploadedFile } from '../../../src/common/http/bodies/multipart.js';
import { JsonBody, Params } from '../../../src/common/http/params/params.js';
import {
  MultipartBody,
  StreamBody,
  TakesMultipart,
  TakesStream,
  type Multipart,
  type StreamedBody,
} from '../../../src/common/http/bodies/takes-body.js';
import { send, type Answer } from '../../support/http.js';
import { exchange } from '../../support/raw.js';
import { serveSmall, type SmallApp } from '../../support/small-app.js';
import { BlobStore, BlobStoreUnavailable, type StoredBlob } from '../../../src/common/blobs/blob-store.js';
import { DiskBlobStore } from '../../../src/common/blobs/disk-blob-store.js';
import { sendBlob } from '../../../src/common/http/answers/send-blob.js';
import { CallerController } from '../../../src/auth/guards/ads-controller.js';
import { useSharedApp } from '../../support/app.js';
import { authorization } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { useControllers } from '../../support/test-controllers.js';

describe('files', () => {
  class Upload {
    @OneOf(['post_image', 'post_video'], { optional: true }) category?: string;
    @Text({ optional: true, max: 50 }) title?: string;
  }

  const LIMIT = 5_000_000;
  const HUGE = 200_000_000;

  /** How many uploads are being read, and what ended the last one that failed. */
  const seen = { underway: 0, failure: undefined as unknown };

  async function digest(content: Readable): Promise<{ size: number; sha256: string }> {
    const hash = createHash('sha256');
    let size = 0;
    seen.underway++;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        size += chunk.length;
        hash.update(chunk);
      }
      return { size, sha256: hash.digest('hex') };
    } catch (error) {
      seen.failure = error;
      throw error;
    } finally {
      seen.underway--;
    }
  }

  @Controller('12/files')
  @UseGuards(EndpointPolicyGuard)
  @UseInterceptors(EnvelopeInterceptor)
  class FilesController {
    @Post('one')
    @HttpCode(200)
    @TakesMultipart(Upload, { file: 'media', limit: LIMIT })
    async one(@MultipartBody() { fields, file }: Multipart<Upload>) {
      return { fields, name: file.name ?? null, type: file.type, ...(await digest(file.content)) };
    }

    @Post('maybe')
    @HttpCode(200)
    @TakesMultipart(Upload, { file: 'media', limit: LIMIT, optional: true })
    async maybe(@MultipartBody() { fields, file }: Multipart<Upload, UploadedFile | undefined>) {
      return { fields, ...(file && (await digest(file.content))) };
    }

    @Post('unwanted')
    @HttpCode(200)
    @TakesMultipart(Upload, { file: 'media', limit: HUGE })
    unwanted(@MultipartBody() { fields }: Multipart<Upload>) {
      return { fields };
    }

    @Post('huge')
    @HttpCode(200)
    @TakesMultipart(Upload, { file: 'media', limit: HUGE })
    async huge(@MultipartBody() { file }: Multipart<Upload>) {
      return digest(file.content);
    }

    @Post('bytes')
    @HttpCode(200)
    @TakesStream({ limit: LIMIT, types: ['application/octet-stream', 'image/*'] })
    async bytes(@Params() fields: Upload, @StreamBody() { content, length, type }: StreamedBody) {
      return { fields, length: length ?? null, type, ...(await digest(content)) };
    }

    @Post('json')
    @HttpCode(200)
    @Policy({ body: 'json' })
    json(@JsonBody() fields: Upload) {
      return { fields };
    }

    @Post('form')
    @HttpCode(200)
    form(@Params() fields: Upload) {
      return { fields };
    }
  }

  let served: SmallApp;
  beforeAll(async () => (served = await serveSmall({ controllers: [FilesController] })));
  afterAll(() => served.close());

  const BOUNDARY = 'XXboundaryXX';
  const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
  type Part = { name?: string; file?: string; type?: string; headers?: string[]; content: string | Buffer };

  function encoded(parts: Part[], { end = `--${BOUNDARY}--\r\n` } = {}): Buffer {
    const pieces = parts.flatMap(({ name, file, type, headers = [], content }) => [
      [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data${name === undefined ? '' : `; name="${name}"`}${file === undefined ? '' : `; filename="${file}"`}`,
        ...(type ? [`Content-Type: ${type}`] : []),
        ...headers,
        '',
        '',
      ].join('\r\n'),
      content,
      '\r\n',
    ]);
    return Buffer.concat([...pieces, end].map((each) => Buffer.from(each as string)));
  }

  const media = (content: string | Buffer, rest: Partial<Part> = {}): Part => ({
    name: 'media',
    file: 'a.png',
    type: 'image/png',
    content,
    ...rest,
  });

  const post = (path: string, body: Buffer | string | undefined, type: string | undefined = TYPE): Promise<Answer> =>
    send(served.url, `/12/files/${path}`, { method: 'POST', body, headers: type ? { 'content-type': type } : {} });

  const upload = (path: string, parts: Part[]) => post(path, encoded(parts));
  const refusal = (status: number, parameter: string) => ({ status, body: { errors: [{ parameter }] } });
  const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

  describe('multipart bodies', () => {
    it('give their fields, typed and echoed, and their file', async () => {
      const content = randomBytes(300_000);
      expect(await upload('one', [{ name: 'category', content: 'post_image' }, media(content)])).toMatchObject({
        status: 200,
        body: {
          request: { params: { category: 'post_image' } },
          data: {
            fields: { category: 'post_image' },
            name: 'a.png',
            type: 'image/png',
            size: 300_000,
            sha256: sha256(content),
          },
        },
      });
    });

    it('arrive whatever they hold, and however they are cut into pieces', async () => {
      const near = fc.constantFrom('\r\n', '--', `\r\n--${BOUNDARY.slice(0, 5)}`, `--${BOUNDARY} `, '\r', '\0', 'é');
      const contents = fc.array(fc.oneof(near, fc.string())).map((pieces) => pieces.join(''));
      await fc.assert(
        fc.asyncProperty(
          contents,
          fc.string({ maxLength: 20 }),
          fc.integer({ min: 1, max: 64 }),
          async (file, title, step) => {
            fc.pre(!file.includes(`\r\n--${BOUNDARY}`) && !file.startsWith(`--${BOUNDARY}`) && !/[\0\r\n]/.test(title));
            const parts = [...(title ? [{ name: 'title', content: title }] : []), media(file)];
            const { status, body } = await inPieces('one', encoded(parts), step);
            expect({ status, title: body.data?.fields.title ?? '', sha256: body.data?.sha256 }).toEqual({
              status: 200,
              title,
              sha256: sha256(file),
            });
          },
        ),
        { numRuns: 60 },
      );
    });

    it('may have their parameters in the query, and need no parts but the file', async () => {
      const { status, body } = await upload('one?title=From%20the%20query', [media('x')]);
      expect({ status, fields: body.data.fields }).toEqual({ status: 200, fields: { title: 'From the query' } });
    });

    it('may be forms, or empty, where the file may be missing', async () => {
      for (const [body, type] of [
        ['title=x', 'application/x-www-form-urlencoded'],
        [encoded([{ name: 'title', content: 'x' }]), TYPE],
      ] as const) {
        expect(await post('maybe', body, type)).toMatchObject({
          status: 200,
          body: { data: { fields: { title: 'x' } } },
        });
      }
      for (const type of [undefined, TYPE, 'application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const { status } = await post('maybe', type === TYPE ? encoded([]) : '', type ?? '');
        expect({ type, status }).toEqual({ type, status: 200 });
      }
      expect(await post('one', undefined, '')).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'media' }] },
      });
    });

    it('take a file of exactly the limit and no larger one, on a connection that goes on', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<Socket>();
      expect(await streamed('one', LIMIT, { agent, sockets })).toMatchObject({
        status: 200,
        body: { data: { size: LIMIT } },
      });
      for (const size of [LIMIT + 1, 9_900_000]) {
        const refused = await streamed('one', size, { agent, sockets });
        expect(refused).toMatchObject({ ...refusal(413, size === LIMIT + 1 ? 'media' : 'body') });
        expect(refused.headers.connection).not.toBe('close');
        expect(await streamed('one', 10, { agent, sockets })).toMatchObject({ status: 200 });
      }
      expect(sockets.size).toBe(1);
      agent.destroy();
    });

    it('far beyond it get a 413 too, and the connection is closed', async () => {
      const head = [
        'POST /12/files/one HTTP/1.1',
        'host: localhost',
        `content-type: ${TYPE}`,
        'content-length: 90000000',
        '',
        '',
      ].join('\r\n');
      const text = await exchange(served.url, head, { silence: 3_000 });
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text.toLowerCase()).toContain('connection: close');
    });

    it('whose size is not told are cut off where they get too large', async () => {
      const answer = await streamed('one', 30_000_000, { chunked: true }).catch((error: Error) => error);
      // The client may still be writing when the connection goes.
      if ('message' in answer) expect(answer.message).toMatch(/EPIPE|ECONNRESET|socket hang up/);
      else expect(answer).toMatchObject({ status: 413 });
      expect(await upload('one', [media('x')])).toMatchObject({ status: 200 });
      expect(seen.failure).toMatchObject({ status: 413 });
    });

    it('are answered also when nobody reads the file', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<Socket>();
      for (const size of [10, 1_000_000, 9_000_000]) {
        expect(await streamed('unwanted', size, { agent, sockets })).toMatchObject({ status: 200 });
      }
      expect(sockets.size).toBe(1);
      agent.destroy();
    });

    it.each<[string, Part[], number, string]>([
      ['a second file', [media('x'), media('y')], 400, 'media'],
      ['a file of another name', [media('x', { name: 'picture' })], 400, 'picture'],
      ['a field after the file', [media('x'), { name: 'title', content: 'y' }], 400, 'title'],
      ['a field that is not valid', [{ name: 'category', content: 'nothing' }, media('x')], 400, 'category'],
      ['a field that is too large', [{ name: 'title', content: 'x'.repeat(70_000) }, media('x')], 413, 'title'],
      ['no file', [{ name: 'title', content: 'x' }], 400, 'media'],
      ['a part without a name', [{ content: 'x' }], 400, 'body'],
      ['a file without a name', [media('x', { name: undefined })], 400, 'body'],
      [
        'a part with parts',
        [{ name: 'title', type: 'multipart/mixed; boundary=b', content: '--b\r\n\r\nx\r\n--b--' }],
        400,
        'title',
      ],
      ['a file with parts', [media('--b--', { type: 'multipart/mixed; boundary=b' })], 400, 'media'],
      ['a file in base64', [media('eA==', { headers: ['Content-Transfer-Encoding: base64'] })], 400, 'media'],
      ['a name that is too long', [{ name: 'n'.repeat(300), content: 'x' }, media('x')], 400, 'body'],
    ])('with %s are refused by name', async (_, parts, status, parameter) => {
      expect(await upload('one', parts)).toMatchObject(refusal(status, parameter));
      expect(seen.underway).toBe(0);
    });

    it('with thousands of fields are refused at the first that is too many', async () => {
      const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `f${index}`, content: 'x' }));
      expect(await upload('one', [...many, media('x')])).toMatchObject(refusal(400, 'f100'));
      const large = Array.from({ length: 90 }, (_, index) => ({ name: `f${index}`, content: 'x'.repeat(1_000) }));
      expect(await upload('one', [...large, media('x')])).toMatchObject(refusal(413, 'f65'));
    });

    it('may have header lines without end, of which no more than 8 KiB are kept', async () => {
      const { status } = await upload('one', [media('x', { headers: [`X-Long: ${'x'.repeat(4_000_000)}`] })]);
      expect(status).toBe(200);
    });

    it('do not reach prototypes', async () => {
      const fields = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => ({ name, content: 'x' }));
      expect(await upload('one', [...fields, media('x')])).toMatchObject({ status: 200 });
      expect(({} as { x?: string }).x).toBeUndefined();
    });

    it.each<[string, Buffer | string, string]>([
      ['without a boundary', encoded([media('x')]), 'multipart/form-data'],
      ['with an empty boundary', encoded([media('x')]), 'multipart/form-data; boundary='],
      ['with another boundary', encoded([media('x')]), 'multipart/form-data; boundary=other'],
      ['cut off in the file', encoded([media('x'.repeat(1_000))], { end: '' }).subarray(0, 500), TYPE],
      ['cut off before the file', encoded([media('x')]).subarray(0, 60), TYPE],
      ['cut off before the end', encoded([media('x')], { end: '' }), TYPE],
      ['that are nothing of the kind', randomBytes(10_000), TYPE],
      ['that are only a boundary', `--${BOUNDARY}`, TYPE],
      ['that are only line ends', '\r\n'.repeat(10_000), TYPE],
    ])('%s are a 400', async (_, body, type) => {
      const { status, body: answer } = await post('one', body, type);
      expect({ status, named: !!answer.errors?.[0]?.parameter }).toEqual({ status: 400, named: true });
    });

    it('never bring the service down, whatever they are', async () => {
      const sample = encoded([{ name: 'title', content: 'x' }, media('y'.repeat(50))]);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(sample.length - 1), fc.constantFrom(0, 10, 13, 34, 45, 59, 255)), { maxLength: 6 }),
          fc.nat(sample.length),
          async (changes, length) => {
            const bytes = Buffer.from(sample);
            for (const [at, value] of changes) bytes[at] = value;
            const { status } = await post('one', bytes.subarray(0, length));
            expect([200, 400, 413]).toContain(status);
          },
        ),
        { numRuns: 150 },
      );
      expect(seen.underway).toBe(0);
    });

    it('that their client gives up are given up', async () => {
      for (const path of ['one', 'huge', 'unwanted']) {
        const { hostname, port } = new URL(served.url);
        seen.failure = undefined;
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write(
          [
            `POST /12/files/${path} HTTP/1.1`,
            'host: localhost',
            `content-type: ${TYPE}`,
            'content-length: 4000000',
            '',
            '',
          ].join('\r\n'),
        );
        socket.write(encoded([media('x'.repeat(100_000))], { end: '' }));
        await pause(100);
        socket.destroy();
        await eventually(() => seen.underway === 0 && (path === 'unwanted' || seen.failure !== undefined));
        if (path !== 'unwanted') expect(seen.failure).toMatchObject({ status: 408 });
      }
      expect(await upload('one', [media('x')])).toMatchObject({ status: 200 });
      await eventually(async () => /http_requests_in_flight 0$/m.test(await served.metrics.text()));
    });

    it('pass through: 100 MB need no room of their own', async () => {
      await streamed('huge', 20_000_000);
      const before = process.memoryUsage().rss;
      let max = before;
      const watch = setInterval(() => (max = Math.max(max, process.memoryUsage().rss)), 10);
      const { status, body } = await streamed('huge', 100_000_000);
      clearInterval(watch);
      expect({ status, size: body.data.size }).toEqual({ status: 200, size: 100_000_000 });
      expect((max - before) / 2 ** 20).toBeLessThan(64);
    }, 60_000);
  });

  describe('bodies of bytes', () => {
    it('arrive with what is known of them', async () => {
      const content = randomBytes(100_000);
      expect(await post('bytes?title=x', content, 'image/png; q=1')).toMatchObject({
        status: 200,
        body: {
          request: { params: { title: 'x' } },
          data: { fields: { title: 'x' }, length: 100_000, type: 'image/png', sha256: sha256(content) },
        },
      });
      expect(await post('bytes', content, '')).toMatchObject({
        status: 200,
        body: { data: { type: 'application/octet-stream' } },
      });
      expect(await streamed('bytes', 10_000, { chunked: true, type: 'image/gif', bare: true })).toMatchObject({
        status: 200,
        body: { data: { length: null, size: 10_000 } },
      });
    });

    it('are bounded, and may not be missing', async () => {
      expect(await post('bytes', Buffer.alloc(LIMIT), 'image/png')).toMatchObject({ status: 200 });
      expect(await post('bytes', Buffer.alloc(LIMIT + 1), 'image/png')).toMatchObject(refusal(413, 'body'));
      expect(await streamed('bytes', LIMIT + 1, { chunked: true, type: 'image/gif', bare: true })).toMatchObject(
        refusal(413, 'body'),
      );
      for (const type of ['image/png', 'application/json', 'application/x-www-form-urlencoded', '']) {
        expect(await post('bytes', '', type)).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'body' }] },
        });
      }
    });
  });

  describe('a body of another kind', () => {
    const form = 'application/x-www-form-urlencoded';
    it.each([
      ['one', 'application/json', '{}', 'multipart/form-data'],
      ['one', 'text/plain', 'x', 'multipart/form-data'],
      ['one', 'multipart/mixed; boundary=b', '--b--', 'multipart/form-data'],
      ['bytes', 'application/json', '{}', 'application/octet-stream or image/*'],
      ['bytes', form, 'a=b', 'application/octet-stream or image/*'],
      ['bytes', TYPE, 'x', 'application/octet-stream or image/*'],
      ['bytes', 'imagery/png', 'x', 'application/octet-stream or image/*'],
      ['form', TYPE, 'x', 'application/json or application/x-www-form-urlencoded'],
      ['form', 'application/json', '{}', 'application/x-www-form-urlencoded'],
      ['json', form, 'a=b', 'application/json'],
      ['json', TYPE, 'x', 'application/json'],
    ])('%s: %s is a 415 that names what is taken', async (path, type, body, wanted) => {
      const answer = await post(path, body, type);
      expect(answer).toMatchObject({ status: 415, body: { errors: [{ parameter: 'Content-Type', value: type }] } });
      expect(answer.body.errors[0].message).toContain(wanted);
    });
  });

  describe('the document', () => {
    it('says what such endpoints take', () => {
      const { paths } = SwaggerModule.createDocument(served.app, new DocumentBuilder().build());
      expect(paths['/12/files/one'].post?.requestBody).toMatchObject({
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Upload' },
                { properties: { media: { type: 'string', format: 'binary', maxLength: LIMIT } }, required: ['media'] },
              ],
            },
          },
        },
      });
      expect(paths['/12/files/bytes'].post?.requestBody).toMatchObject({
        content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
      });
    });
  });

  interface Streaming {
    agent?: Agent;
    sockets?: Set<Socket>;
    chunked?: boolean;
    type?: string;
    bare?: boolean;
  }

  /** Sends a file of so many bytes without ever holding them. */
  function streamed(path: string, size: number, { agent, sockets, chunked, type = TYPE, bare }: Streaming = {}) {
    const frame = bare ? Buffer.alloc(0) : encoded([media('')], { end: '' });
    const head = bare ? frame : frame.subarray(0, frame.length - 2);
    const tail = Buffer.from(bare ? '' : `\r\n--${BOUNDARY}--\r\n`);
    const piece = Buffer.alloc(65_536, 'x');
    const { hostname, port } = new URL(served.url);
    return new Promise<Answer>((resolve, reject) => {
      const length = chunked ? {} : { 'content-length': head.length + size + tail.length };
      const outgoing = request(
        {
          agent,
          hostname,
          port,
          method: 'POST',
          path: `/12/files/${path}`,
          headers: { 'content-type': type, ...length },
        },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk) => (text += String(chunk))).on('error', reject);
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode!, headers: incoming.headers, text, body: JSON.parse(text) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.on('socket', (socket) => sockets?.add(socket));
      let left = size;
      const pump = () => {
        while (left > 0) {
          const next = left >= piece.length ? piece : piece.subarray(0, left);
          left -= next.length;
          if (!outgoing.write(next)) return void outgoing.once('drain', pump);
        }
        outgoing.end(tail);
      };
      outgoing.write(head);
      pump();
    });
  }

  /** Sends a body in pieces of so many bytes. */
  function inPieces(path: string, body: Buffer, step: number): Promise<Answer> {
    const { hostname, port } = new URL(served.url);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { hostname, port, method: 'POST', path: `/12/files/${path}`, headers: { 'content-type': TYPE } },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk) => (text += String(chunk)));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode!, headers: incoming.headers, text, body: JSON.parse(text) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.setNoDelay(true);
      for (let at = 0; at < body.length; at += step) outgoing.write(body.subarray(at, at + step));
      outgoing.end();
    });
  }

  async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (await condition()) return;
      await pause(20);
    }
    throw new Error('it did not happen within 4 seconds');
  }
});

describe('blobs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-blobs-'));
  const store = new DiskBlobStore(folder);
  const TEXT = '0123456789';
  let stored: StoredBlob;

  @Controller()
  class BlobsController {
    constructor(private readonly blobs: BlobStore) {}

    @Get('media/:name')
    async get(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
      await sendBlob(request, reply, {
        size: stored.size,
        etag: stored.sha256,
        contentType: 'image/png',
        open: (range) => {
          if (name === 'away') throw new BlobStoreUnavailable(new Error('no route'));
          return this.blobs.open(name, range);
        },
      });
    }
  }

  let served: SmallApp;
  beforeAll(async () => {
    stored = await store.put('here', Readable.from([Buffer.from(TEXT)]), { contentType: 'image/png' });
    served = await serveSmall({ controllers: [BlobsController], providers: [{ provide: BlobStore, useValue: store }] });
  });
  afterAll(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (headers: Record<string, string> = {}, { method = 'GET', name = 'here' } = {}) =>
    send(served.url, `/media/${name}`, { method, headers });
  const etag = () => `"${stored.sha256}"`;

  describe('a blob', () => {
    it('is sent whole, as what we know it to be, and kept by caches', async () => {
      expect(await call()).toMatchObject({
        status: 200,
        text: TEXT,
        headers: {
          'content-type': 'image/png',
          'content-length': '10',
          'accept-ranges': 'bytes',
          etag: etag(),
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
        },
      });
    });

    it('is described by HEAD', async () => {
      expect(await call({ range: 'bytes=0-1' }, { method: 'HEAD' })).toMatchObject({
        status: 200,
        text: '',
        headers: { 'content-length': '10', 'content-type': 'image/png', etag: etag() },
      });
    });

    it.each([
      ['bytes=0-3', '0123', '0-3'],
      ['bytes=9-', '9', '9-9'],
      ['bytes=-3', '789', '7-9'],
      ['bytes=-300', TEXT, '0-9'],
      ['bytes=5-500', '56789', '5-9'],
      ['Bytes=0-0', '0', '0-0'],
    ])('is sent in part: %s', async (range, text, told) => {
      expect(await call({ range })).toMatchObject({
        status: 206,
        text,
        headers: { 'content-range': `bytes ${told}/10`, 'content-length': `${text.length}` },
      });
    });

    it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])('has no %s', async (range) => {
      const { status, headers, body } = await call({ range });
      expect({ status, range: headers['content-range'] }).toEqual({ status: 416, range: 'bytes */10' });
      expect(body.errors[0].message).toContain(`for Range, got "${range}"`);
      expect(headers['cache-control']).toBe('no-store');
    });

    it.each(['bytes=0-1,3-4', 'bytes=3-1', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes 0-1', ''])(
      'is sent whole where %s is asked for',
      async (range) => {
        expect(await call({ range })).toMatchObject({ status: 200, text: TEXT });
      },
    );

    it('answers any range as RFC 9110 has it', async () => {
      const number = fc.option(fc.nat(15), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(number, number, async (from, to) => {
          fc.pre(from !== undefined || to !== undefined);
          const { status, text } = await call({ range: `bytes=${from ?? ''}-${to ?? ''}` });
          const wanted =
            from === undefined ? TEXT.slice(Math.max(0, 10 - to!)) : TEXT.slice(from, to === undefined ? 10 : to + 1);
          const ignored = from !== undefined && to !== undefined && to < from;
          if (ignored) expect({ status, text }).toEqual({ status: 200, text: TEXT });
          else if (wanted === '') expect(status).toBe(416);
          else expect({ status, text }).toEqual({ status: 206, text: wanted });
        }),
        { numRuns: 100 },
      );
    });

    it('is not sent to who has it', async () => {
      for (const known of [etag(), `W/${etag()}`, `"other", ${etag()}`, '*']) {
        const { status, text, headers } = await call({ 'if-none-match': known, range: 'bytes=0-1' });
        expect({ known, status, text, etag: headers.etag }).toEqual({ known, status: 304, text: '', etag: etag() });
      }
      expect(await call({ 'if-none-match': '"other"' })).toMatchObject({ status: 200, text: TEXT });
      expect(await call({ 'if-match': '"other"' })).toMatchObject({
        status: 412,
        body: { errors: [{ message: expect.stringContaining('If-Match') }] },
      });
      expect(await call({ 'if-match': `W/${etag()}` })).toMatchObject({ status: 412 });
      expect(await call({ 'if-match': etag() })).toMatchObject({ status: 200 });
      expect(await call({ 'if-range': etag(), range: 'bytes=0-1' })).toMatchObject({ status: 206, text: '01' });
      expect(await call({ 'if-range': '"other"', range: 'bytes=0-1' })).toMatchObject({ status: 200, text: TEXT });
    });

    it('that is gone is 404, and one out of reach 503 with retry-after', async () => {
      const gone = await call({}, { name: randomBytes(4).toString('hex') });
      expect(gone).toMatchObject({ status: 404 });
      expect(gone.headers['cache-control']).toBeUndefined();
      expect(gone.headers.etag).toBeUndefined();
      const away = await call({}, { name: 'away' });
      expect(away).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(away.headers['cache-control']).toBeUndefined();
    });
  });
});

describe('signed files', () => {
  useSharedApp();

  class Upload {
    @Text({ optional: true }) title?: string;
  }

  @CallerController('files', { tag: 'Files' })
  class FilesController {
    @Post()
    @HttpCode(200)
    @TakesMultipart(Upload, { file: 'media', limit: 1_000_000 })
    async take(@MultipartBody() { fields, file }: Multipart<Upload>) {
      let size = 0;
      for await (const chunk of file.content as AsyncIterable<Buffer>) size += chunk.length;
      return { title: fields.title, size };
    }
  }

  const { url } = useControllers(FilesController);

  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser();
  });

  const multipart = (title: string) =>
    `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${title}\r\n` +
    '--b\r\ncontent-disposition: form-data; name="media"; filename="a.png"\r\n\r\nbytes\r\n--b--\r\n';

  const post = (form: Record<string, string>, body: string, type: string) =>
    send(url(), '/12/files', {
      method: 'POST',
      headers: {
        authorization: authorization(advertiser.api.credentials, 'POST', `${url()}/12/files`, form),
        'content-type': type,
      },
      body,
    });

  it('fields of a multipart body are not signed, those of a form are (RFC 5849, 3.4.1.3.1)', async () => {
    const type = 'multipart/form-data; boundary=b';
    expect(await post({}, multipart('x'), type)).toMatchObject({
      status: 200,
      body: { data: { title: 'x', size: 5 }, request: { params: { title: 'x' } } },
    });
    expect(await post({ title: 'x' }, multipart('x'), type)).toMatchObject({ status: 401 });
    const form = 'application/x-www-form-urlencoded';
    expect(await post({}, 'title=x', form)).toMatchObject({ status: 401 });
    expect(await post({ title: 'x' }, 'title=x', form)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'media' }] },
    });
  });

  it('nobody who is not known gets a file read', async () => {
    const type = 'multipart/form-data; boundary=b';
    for (const size of [10, 900_000]) {
      const answer = await send(url(), '/12/files', {
        method: 'POST',
        headers: { 'content-type': type },
        body: multipart('x'.repeat(size)),
      });
      expect(answer).toMatchObject({ status: 401 });
      expect(answer.headers.connection).not.toBe('close');
    }
  });
});
