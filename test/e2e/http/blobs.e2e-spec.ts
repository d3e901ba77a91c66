import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobStore, BlobStoreUnavailable, type StoredBlob } from '../../../src/common/blobs/blob-store.js';
import { DiskBlobStore } from '../../../src/common/blobs/disk-blob-store.js';
import { sendBlob } from '../../../src/common/http/answers/send-blob.js';
import { send } from '../../support/http.js';
import { serveSmall, type SmallApp } from '../../support/small-app.js';

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
