import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobDamaged, BlobStore, BlobStoreUnavailable, type ByteRange } from '../../../src/common/blobs/blob-store.js';
import { DiskBlobStore } from '../../../src/common/blobs/disk-blob-store.js';
import { S3BlobStore } from '../../../src/common/blobs/s3-blob-store.js';
import { hasCeph, startCeph, type Ceph } from '../../support/ceph.js';

const IMAGE = { contentType: 'image/png' };
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const fresh = () => `media/${randomBytes(6).toString('hex')}`;

async function read(store: BlobStore, key: string, range?: ByteRange): Promise<Buffer | undefined> {
  const blob = await store.open(key, range);
  return blob && Buffer.concat(await (blob.content.toArray() as Promise<Buffer[]>));
}

/** Fails after so many bytes. */
async function* failing(bytes: number, error: Error): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 'x');
  await pause(1);
  throw error;
}

async function* pieces(bytes: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(65_536, 'x');
  for (let left = bytes; left > 0; left -= piece.length) yield left >= piece.length ? piece : piece.subarray(0, left);
  await pause(0);
}

/** What holds of every store. */
function keepsBlobs(storeOf: () => BlobStore): void {
  it.each([0, 1, 5_000_000, 5 * 1024 * 1024, 12_000_000])('gives back the %d bytes that it got', async (size) => {
    const store = storeOf();
    const key = fresh();
    const content = randomBytes(size);
    const stored = await store.put(key, Readable.from([content], { objectMode: false }), { ...IMAGE, length: size });
    expect(stored).toEqual({ size, sha256: sha256(content) });
    expect((await read(store, key))?.equals(content)).toBe(true);
    expect(await store.stat(key)).toEqual({ size });
  });

  it('gives back ranges, and none that are not there', async () => {
    const store = storeOf();
    const key = fresh();
    await store.put(key, Readable.from([Buffer.from('0123456789')]), IMAGE);
    for (const [first, last, text] of [
      [0, 9, '0123456789'],
      [0, 0, '0'],
      [3, 5, '345'],
      [9, 9, '9'],
    ] as const) {
      expect(String(await read(store, key, { first, last }))).toBe(text);
      const blob = await store.open(key, { first, last });
      expect(blob).toMatchObject({ size: 10, range: { first, last } });
      blob!.content.destroy();
    }
    await expect(store.open(key, { first: 5, last: 10 })).rejects.toThrow(RangeError);
    await expect(store.open(key, { first: 10, last: 12 })).rejects.toThrow(RangeError);
  });

  it('replaces a blob as a whole, and deletes it', async () => {
    const store = storeOf();
    const key = fresh();
    await store.put(key, Readable.from([Buffer.from('first')]), IMAGE);
    await store.put(key, Readable.from([Buffer.from('second')]), IMAGE);
    expect(String(await read(store, key))).toBe('second');
    await store.delete(key);
    await store.delete(key);
    expect(await store.open(key)).toBeUndefined();
    expect(await store.stat(key)).toBeUndefined();
  });

  it('keeps one of those that are written at the same time', async () => {
    const store = storeOf();
    const key = fresh();
    const contents = Array.from({ length: 5 }, () => randomBytes(200_000));
    await Promise.all(contents.map((content) => store.put(key, Readable.from([content]), IMAGE)));
    const kept = await read(store, key);
    expect(contents.filter((content) => content.equals(kept!))).toHaveLength(1);
  });

  it.each([10_000, 7_000_000, 20_000_000])(
    'stores nothing of content that breaks off after %d bytes',
    async (bytes) => {
      const store = storeOf();
      const key = fresh();
      const reason = new Error('the client went away');
      await expect(store.put(key, Readable.from(failing(bytes, reason)), IMAGE)).rejects.toBe(reason);
      expect(await store.stat(key)).toBeUndefined();
      expect(await store.removeLeftovers(new Date(Date.now() + 60_000))).toBe(0);
    },
  );

  it('stores nothing of content that failed before', async () => {
    const store = storeOf();
    const reason = new Error('too large');
    const content = new Readable({ read() {} }).on('error', () => undefined).destroy(reason);
    await pause(5);
    await expect(store.put(fresh(), content, IMAGE)).rejects.toBe(reason);
  });

  it('stores nothing that has another length than it was said to have', async () => {
    const store = storeOf();
    const key = fresh();
    for (const length of [9, 11, 0]) {
      const put = store.put(key, Readable.from([Buffer.from('0123456789')]), { ...IMAGE, length });
      await expect(put).rejects.toThrow(BlobDamaged);
    }
    expect(await store.stat(key)).toBeUndefined();
  });

  it('knows keys from paths', async () => {
    const store = storeOf();
    for (const key of [
      '',
      '/',
      '/etc/passwd',
      '..',
      'a/../b',
      'a//b',
      'a/',
      '.hidden',
      'a/.b',
      'A',
      'a b',
      'a\\b',
      'a\0',
      'é',
    ]) {
      await expect(store.put(key, Readable.from([]), IMAGE)).rejects.toThrow('not a valid blob key');
      await expect(store.open(key)).rejects.toThrow('not a valid blob key');
      await expect(store.delete(key)).rejects.toThrow('not a valid blob key');
      await expect(store.deleteBelow(key)).rejects.toThrow('not a valid blob key');
    }
    await expect(store.stat('a'.repeat(200))).rejects.toThrow('not a valid blob key');
    await expect(store.stat(Array(20).fill('a'.repeat(40)).join('/'))).rejects.toThrow('not a valid blob key');
  });

  it('deletes what is below a key and nothing else', async () => {
    const store = storeOf();
    const one = fresh();
    for (const key of [`${one}/1`, `${one}/2/3`, `${one}x/1`])
      await store.put(key, Readable.from([Buffer.from(key)]), IMAGE);
    await store.deleteBelow(one);
    expect(await store.stat(`${one}/1`)).toBeUndefined();
    expect(await store.stat(`${one}/2/3`)).toBeUndefined();
    expect(await store.stat(`${one}x/1`)).toBeDefined();
    await store.deleteBelow(fresh());
  });

  it('puts parts together, whatever their order and size', async () => {
    const store = storeOf();
    const upload = randomBytes(6).toString('hex');
    const contents = [randomBytes(1_000), randomBytes(6_000_000), Buffer.alloc(0), randomBytes(10)];
    const parts = [];
    for (const index of [3, 0, 2, 1]) {
      await store.putPart(upload, index, Readable.from([Buffer.from('an earlier try')]));
      const content = Readable.from([contents[index]], { objectMode: false });
      parts.push(await store.putPart(upload, index, content, contents[index].length));
    }
    parts.sort((one, other) => one.index - other.index);
    const key = fresh();
    const whole = Buffer.concat(contents);
    expect(await store.complete(upload, parts, key, IMAGE)).toEqual({ size: whole.length, sha256: sha256(whole) });
    expect((await read(store, key))?.equals(whole)).toBe(true);
    expect(await store.stat(`uploads/${upload}/0`)).toBeUndefined();
  });

  it('does not put together what is missing or was changed', async () => {
    const store = storeOf();
    const upload = randomBytes(6).toString('hex');
    const key = fresh();
    const part = await store.putPart(upload, 0, Readable.from([Buffer.from('abc')]));
    await expect(store.complete(upload, [part, { ...part, index: 1 }], key, IMAGE)).rejects.toThrow(BlobDamaged);
    await store.putPart(upload, 0, Readable.from([Buffer.from('abd')]));
    await expect(store.complete(upload, [part], key, IMAGE)).rejects.toThrow(BlobDamaged);
    expect(await store.stat(key)).toBeUndefined();
    await store.abort(upload);
    await store.abort(upload);
    expect(await store.stat(`uploads/${upload}/0`)).toBeUndefined();
  });

  it('tells what a part is, and deletes it and no other', async () => {
    const store = storeOf();
    const upload = randomBytes(6).toString('hex');
    const put = (index: number, text: string) => store.putPart(upload, index, Readable.from([Buffer.from(text)]));
    const [first, second] = [await put(0, 'abc'), await put(1, 'abc')];
    const later = await put(0, 'abd');
    expect(await Promise.all([first, later, second].map((part) => store.isPart(upload, part)))).toEqual([
      false,
      true,
      true,
    ]);
    await store.deletePart(upload, 0);
    await store.deletePart(upload, 0);
    expect([await store.hasPart(upload, 0), await store.isPart(upload, later)]).toEqual([false, false]);
    expect([await store.hasPart(upload, 1), await store.isPart(upload, second)]).toEqual([true, true]);
    await store.abort(upload);
    expect(await store.hasPart(upload, 1)).toBe(false);
  });

  it('streams: 100 MB need no room of their own', async () => {
    const store = storeOf();
    const key = fresh();
    await store.put(key, Readable.from(pieces(20_000_000), { objectMode: false }), IMAGE);
    const before = process.memoryUsage().rss;
    let max = before;
    const watch = setInterval(() => (max = Math.max(max, process.memoryUsage().rss)), 10);
    await store.put(key, Readable.from(pieces(100_000_000), { objectMode: false }), IMAGE);
    let size = 0;
    for await (const chunk of (await store.open(key))!.content as AsyncIterable<Buffer>) size += chunk.length;
    clearInterval(watch);
    expect(size).toBe(100_000_000);
    expect((max - before) / 2 ** 20).toBeLessThan(96);
    await store.delete(key);
  }, 60_000);
}

describe('blobs on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-blobs-'));
  const root = join(folder, 'blobs');
  const store = new DiskBlobStore(root);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  keepsBlobs(() => store);

  it('can be read by nobody else', async () => {
    await store.put('a/b/c', Readable.from([Buffer.from('x')]), IMAGE);
    const mode = (...names: string[]) => (statSync(join(root, ...names)).mode & 0o777).toString(8);
    expect([mode(), mode('a'), mode('a', 'b'), mode('a', 'b', 'c'), mode('.unfinished')]).toEqual([
      '700',
      '700',
      '700',
      '600',
      '700',
    ]);
  });

  it('leave nothing unfinished, and what killed writers left is removed by its age', async () => {
    const unfinished = join(root, '.unfinished');
    expect(readdirSync(unfinished)).toEqual([]);
    writeFileSync(join(unfinished, 'left'), 'x');
    expect(await store.removeLeftovers(new Date(Date.now() - 60_000))).toBe(0);
    expect(existsSync(join(unfinished, 'left'))).toBe(true);
    expect(await store.removeLeftovers(new Date(Date.now() + 60_000))).toBe(1);
    expect(readdirSync(unfinished)).toEqual([]);
    expect(await new DiskBlobStore(join(folder, 'nowhere')).removeLeftovers(new Date())).toBe(0);
  });
});

const overS3 = hasCeph ? describe : describe.skip;
overS3(`blobs on S3${hasCeph ? '' : ' (SKIPPED: radosgw, ceph-mon and ceph-osd are not installed)'}`, () => {
  let ceph: Ceph;
  let store: S3BlobStore;
  beforeAll(async () => {
    ceph = await startCeph();
    store = new S3BlobStore(ceph.settings);
  }, 120_000);
  afterAll(async () => {
    await store?.onApplicationShutdown();
    await ceph?.close();
  }, 30_000);

  keepsBlobs(() => store);

  it('are below their prefix', async () => {
    await store.put('where', Readable.from([Buffer.from('x')]), IMAGE);
    const others = new S3BlobStore({ ...ceph.settings, prefix: '' });
    expect(await others.stat('test/where')).toEqual({ size: 1 });
    expect(await others.stat('where')).toBeUndefined();
    await others.onApplicationShutdown();
  });

  it('are a fault of ours when the key is wrong or the bucket is not there', async () => {
    for (const wrong of [{ secretAccessKey: 'wrong' }, { bucket: 'there-is-none' }]) {
      const other = new S3BlobStore({ ...ceph.settings, ...wrong });
      const failure = other.put('a', Readable.from([Buffer.from('x')]), IMAGE);
      await expect(failure).rejects.not.toThrow(BlobStoreUnavailable);
      await other.onApplicationShutdown();
    }
  });
});

describe('an S3 that is away', () => {
  const settings = {
    region: 'us-east-1',
    bucket: 'b-1',
    accessKeyId: 'a',
    secretAccessKey: 's',
    forcePathStyle: true,
    prefix: '',
  };
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });
  async function serving(answer: (socket: Socket) => void): Promise<S3BlobStore> {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      answer(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new S3BlobStore({ ...settings, endpoint: new URL(`http://127.0.0.1:${port}`) }, 250);
  }
  async function fails(store: S3BlobStore): Promise<void> {
    await expect(store.put('a', Readable.from([Buffer.from('x')]), IMAGE)).rejects.toThrow(BlobStoreUnavailable);
    await expect(store.open('a')).rejects.toThrow(BlobStoreUnavailable);
    await expect(store.stat('a')).rejects.toThrow(BlobStoreUnavailable);
    await expect(store.delete('a')).rejects.toThrow(BlobStoreUnavailable);
    await store.onApplicationShutdown();
  }

  it('because nobody listens', async () => {
    await fails(new S3BlobStore({ ...settings, endpoint: new URL('http://127.0.0.1:9') }));
  });

  it('because it hangs up', async () => {
    await fails(await serving((socket) => socket.destroy()));
  });

  it('because it says nothing', async () => {
    await fails(await serving((socket) => socket.resume()));
  });

  it('because it has its own troubles', async () => {
    await fails(
      await serving((socket) =>
        socket.on('data', () => socket.end('HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')),
      ),
    );
  });

  it('or ends in the middle of a blob', async () => {
    const store = await serving((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nnot all of it')),
    );
    const blob = await store.open('a');
    await expect(blob!.content.toArray()).rejects.toThrow();
    await store.onApplicationShutdown();
  });
});
