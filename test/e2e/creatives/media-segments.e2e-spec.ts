import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { useApp, world } from '../../support/app.js';
import { given, type Client } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { gif } from '../../support/media/files.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';
import type { Caller } from '../../../src/auth/caller.js';
import { BlobStore } from '../../../src/common/blobs/blob-store.js';
import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { Clock } from '../../../src/common/time/clock.js';
import { ChunkedUploadsService } from '../../../src/creatives/media-upload/chunked-uploads.service.js';
import { MediaProcessing } from '../../../src/creatives/media-upload/media-processing.job.js';
import { MediaUploadsService } from '../../../src/creatives/media-upload/media-uploads.service.js';

useApp({ FFMPEG: 'none' });

const FAILURE = new Error('the lock is not available');

/** The service, whose first so many transactions fail. */
function uploadsWith(failing: number): ChunkedUploadsService {
  const real = world().get(DataSource);
  let left = failing;
  const db = Object.create(real) as DataSource;
  db.transaction = (work: unknown) =>
    left-- > 0 ? Promise.reject(FAILURE) : real.transaction(work as (tx: EntityManager) => Promise<never>);
  return new ChunkedUploadsService(
    db,
    world().app.get<BlobStore>(BlobStore),
    world().get(Clock),
    world().get(MediaUploadsService),
    world().get(MediaProcessing),
    world().get(StorageQuotas),
  );
}

describe('segments of an upload that are rejected or late', () => {
  const TOO_MUCH = 'at most total_bytes in total';

  let client: Client;
  let file: Buffer;
  beforeEach(async () => {
    client = await given.client();
    file = await gif();
  });
  afterEach(() => jest.restoreAllMocks());

  const begun = async (total_bytes: number): Promise<string> => {
    const form = { command: 'INIT', total_bytes, media_type: 'image/gif', media_category: 'post_gif' };
    return (await client.api.post(UPLOAD, { form })).body.media_id_string;
  };
  /** Status and messages of an answer. */
  const outcome = ({ status, body }: Answer): unknown[] => [
    status,
    ...((body?.errors ?? []) as Json[]).map(({ message }) => message as string),
  ];
  const append = async (media_id: string, segment_index: number, bytes: Buffer) =>
    outcome(await sendMultipart(client, { command: 'APPEND', media_id, segment_index }, bytes));
  const appended = async (...segment: Parameters<typeof append>) => expect(await append(...segment)).toEqual([204]);
  const finalize = async (media_id: string) =>
    outcome(await client.api.post(UPLOAD, { form: { command: 'FINALIZE', media_id } }));
  const become = (id: string, state: string) => world().sql('UPDATE media SET state = $2 WHERE id = $1', id, state);

  const blobs = () => world().app.get<BlobStore>(BlobStore);
  /** Indexes of the segments in the store. */
  const stored = (id: string): string[] => {
    const folder = join(world().config.dataDir, 'blobs', 'uploads', id);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  /** Indexes of the accepted segments. */
  const accepted = async (id: string): Promise<number[]> => {
    const text = 'SELECT index FROM media_parts WHERE "mediaId" = $1 ORDER BY index';
    return (await world().sql<{ index: number }>(text, id)).map(({ index }) => index);
  };

  const service = (media_id: string, segment_index: number, content: Readable | Buffer, failing = 0) =>
    uploadsWith(failing).append({ userId: client.user.id } as Caller, { media_id, segment_index }, content);
  /** Sends a segment, and does `between` after it is stored and before it is accepted. */
  const appendAround = (id: string, index: number, bytes: Buffer, between: () => Promise<unknown>) => {
    const store = blobs();
    const put = store.putPart.bind(store);
    jest.spyOn(store, 'putPart').mockImplementationOnce(async (...part) => {
      const result = await put(...part);
      await between();
      return result;
    });
    return service(id, index, bytes);
  };

  it('leave nothing in the store', async () => {
    const tiny = await begun(1);
    for (const index of [0, 1, 2]) {
      const answer = await append(tiny, index, Buffer.alloc(5 * 1024 * 1024));
      expect(answer).toEqual([400, expect.stringContaining(TOO_MUCH)]);
    }
    expect(stored(tiny)).toEqual([]);
    const id = await begun(100);
    await appended(id, 0, Buffer.alloc(60));
    expect(await append(id, 1, Buffer.alloc(41))).toEqual([400, expect.stringContaining(TOO_MUCH)]);
    expect(await append(id, 1, Buffer.alloc(0))).toEqual([400, expect.stringContaining('empty')]);
    expect(stored(id)).toEqual(['0']);
  });

  it('leave an accepted segment as it was', async () => {
    const id = await begun(file.length);
    await appended(id, 0, file);
    expect(await append(id, 0, Buffer.alloc(file.length + 1))).toEqual([400, expect.stringContaining(TOO_MUCH)]);
    expect(await append(id, 0, Buffer.alloc(0))).toEqual([400, expect.stringContaining('empty')]);
    expect((await append(id, 0, Buffer.alloc(5 * 1024 * 1024 + 1)))[0]).toBe(413);
    expect(await finalize(id)).toEqual([200]);
  });

  it('leave nothing if they end after FINALIZE', async () => {
    const id = await begun(file.length);
    const content = new Readable({ read: () => undefined });
    content.push(file.subarray(0, 10));
    const late = service(id, 0, content);
    const ended = expect(late).rejects.toThrow();
    await appended(id, 0, file);
    expect(await finalize(id)).toEqual([200]);
    content.push(null);
    await ended;
    expect(stored(id)).toEqual([]);
  });

  it('leave nothing if they are stored before, and rejected after others are accepted', async () => {
    const id = await begun(100);
    const late = appendAround(id, 0, Buffer.alloc(60), () => appended(id, 1, Buffer.alloc(60)));
    await expect(late).rejects.toThrow(TOO_MUCH);
    expect([stored(id), await accepted(id)]).toEqual([['1'], [1]]);
  });

  it('leave the segment that was sent again and accepted meanwhile', async () => {
    const id = await begun(file.length);
    const late = appendAround(id, 0, file.subarray(0, 20), async () => {
      await appended(id, 0, file.subarray(0, 10));
      await appended(id, 1, file.subarray(10));
    });
    await expect(late).rejects.toThrow(TOO_MUCH);
    expect([stored(id), await accepted(id)]).toEqual([
      ['0', '1'],
      [0, 1],
    ]);
    expect(await finalize(id)).toEqual([200]);
  });

  it('remove an accepted segment only if they have replaced its bytes, and it can be sent again', async () => {
    const id = await begun(file.length);
    await appended(id, 0, file.subarray(0, 10));
    const late = appendAround(id, 0, file.subarray(0, 20), () => appended(id, 1, file.subarray(10)));
    await expect(late).rejects.toThrow(TOO_MUCH);
    expect([stored(id), await accepted(id)]).toEqual([['1'], [1]]);
    expect(await finalize(id)).toEqual([400, expect.stringContaining('segment_index 0')]);
    await appended(id, 0, file.subarray(0, 10));
    expect(await finalize(id)).toEqual([200]);
  });

  it('leave nothing if the upload is inspected by then', async () => {
    for (const [bytes, status] of [
      [file, 200],
      [Buffer.alloc(100), 400],
    ] as const) {
      const id = await begun(bytes.length);
      const late = appendAround(id, 0, bytes, async () => {
        await appended(id, 0, bytes);
        expect((await finalize(id))[0]).toBe(status);
        await blobs().putPart(id, 0, Readable.from([bytes], { objectMode: false }));
      });
      await expect(late).rejects.toThrow(TOO_MUCH);
      expect(stored(id)).toEqual([]);
    }
  });

  it('leave what an upload needs that is being finished', async () => {
    const id = await begun(100);
    const unneeded = appendAround(id, 0, Buffer.alloc(60), async () => {
      await appended(id, 1, Buffer.alloc(60));
      await become(id, 'PENDING');
    });
    await expect(unneeded).rejects.toThrow(TOO_MUCH);
    expect(stored(id)).toEqual(['1']);
    await become(id, 'ARRIVING');
    const needed = appendAround(id, 1, Buffer.alloc(70), () => become(id, 'IN_PROGRESS'));
    await expect(needed).rejects.toThrow(TOO_MUCH);
    expect([stored(id), await accepted(id)]).toEqual([['1'], [1]]);
  });

  it('leave nothing if they are stored after the segments are joined', async () => {
    const id = await begun(file.length);
    await appended(id, 0, file);
    await become(id, 'PENDING');
    const store = blobs();
    const complete = store.complete.bind(store);
    jest.spyOn(store, 'complete').mockImplementationOnce(async (...upload) => {
      const whole = await complete(...upload);
      await store.putPart(id, 0, Readable.from([file], { objectMode: false }));
      return whole;
    });
    expect(await world().get(MediaProcessing).process(id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(stored(id)).toEqual([]);
  });

  it('are not accepted without their bytes', async () => {
    const id = await begun(file.length);
    const late = appendAround(id, 0, file, () => blobs().delete(`uploads/${id}/0`));
    await expect(late).rejects.toThrow(Unavailable);
    expect(await accepted(id)).toEqual([]);
    await appended(id, 0, file);
    expect(await finalize(id)).toEqual([200]);
  });

  it('remove nothing that was accepted, and nothing at all without the lock, if the database fails', async () => {
    const id = await begun(file.length);
    await appended(id, 0, file);
    await expect(service(id, 0, file, 1)).rejects.toBe(FAILURE);
    expect([stored(id), await accepted(id)]).toEqual([['0'], [0]]);

    const other = await begun(file.length);
    await expect(service(other, 0, file, 2)).rejects.toBe(FAILURE);
    expect([stored(other), await accepted(other)]).toEqual([['0'], []]);
    expect(await finalize(id)).toEqual([200]);
  });
});
