import type { Readable } from 'node:stream';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '../../config/config.js';
import {
  assertKey,
  BlobStore,
  BlobStoreUnavailable,
  MeasuredContent,
  requireLength,
  type BlobMetadata,
  type ByteRange,
  type OpenBlob,
  type StoredBlob,
} from './blob-store.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** Timeout until a response begins, including sending a chunk; and between two bytes of it. */
const PATIENCE_MS = 10_000;
const ATTEMPTS = 2;
/** The minimum part size of S3; two are sent concurrently, so an upload takes 15 MiB of memory. */
const PIECE_BYTES = 5 * 1024 * 1024;
const PIECES_UNDERWAY = 2;

/** A bucket of S3 or a compatible store. The SDK is loaded on first use, not at startup. */
export class S3BlobStore extends BlobStore implements OnApplicationShutdown {
  private connected?: Promise<Connection>;

  constructor(
    private readonly settings: S3Settings,
    private readonly timeoutMs = PATIENCE_MS,
  ) {
    super();
  }

  async put(key: string, content: Readable, { contentType, length }: BlobMetadata): Promise<StoredBlob> {
    const name = this.nameOf(key);
    const measured = new MeasuredContent(content, length);
    try {
      const { client, Upload } = await this.connection();
      // Every part is signed with its SHA-256, so that modified data is rejected. A failed part fails the whole upload.
      const upload = new Upload({
        client,
        params: { ...name, Body: measured.stream, ContentType: contentType },
        partSize: PIECE_BYTES,
        queueSize: PIECES_UNDERWAY,
      });
      await upload.done();
      return measured.stored();
    } catch (error) {
      measured.stream.destroy();
      throw measured.failure ?? asOutage(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenBlob | undefined> {
    const name = this.nameOf(key);
    return orNothing(async () => {
      const { client, GetObjectCommand } = await this.connection();
      const { Body, ContentLength, ContentRange } = await client.send(
        new GetObjectCommand({ ...name, ...(range && { Range: `bytes=${range.first}-${range.last}` }) }),
      );
      const length = ContentLength ?? 0;
      const size = range ? Number(ContentRange?.split('/')[1]) : length;
      if (range && range.last >= size) {
        (Body as Readable).destroy();
        throw new RangeError(`bytes ${range.first} to ${range.last} of ${size}`);
      }
      return { content: requireLength(Body as Readable, length), size, ...(range && { range }) };
    });
  }

  async stat(key: string): Promise<{ size: number } | undefined> {
    const name = this.nameOf(key);
    return orNothing(async () => {
      const { client, HeadObjectCommand } = await this.connection();
      const { ContentLength } = await client.send(new HeadObjectCommand(name));
      return { size: ContentLength ?? 0 };
    });
  }

  async delete(key: string): Promise<void> {
    const name = this.nameOf(key);
    await orNothing(async () => {
      const { client, DeleteObjectCommand } = await this.connection();
      await client.send(new DeleteObjectCommand(name));
    });
  }

  async deleteBelow(key: string): Promise<void> {
    const { Bucket, Key } = this.nameOf(key);
    await orNothing(async () => {
      const { client, paginateListObjectsV2, DeleteObjectCommand } = await this.connection();
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: `${Key}/` })) {
        // One by one: bulk deletes need a checksum that not every compatible server supports.
        for (let at = 0; at < Contents.length; at += 8) {
          const some = Contents.slice(at, at + 8);
          await Promise.all(some.map((found) => client.send(new DeleteObjectCommand({ Bucket, Key: found.Key }))));
        }
      }
    });
  }

  async removeLeftovers(before: Date): Promise<number> {
    const { bucket: Bucket, prefix: Prefix } = this.settings;
    try {
      const { client, ListMultipartUploadsCommand, AbortMultipartUploadCommand } = await this.connection();
      let removed = 0;
      let from: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
      while (from) {
        const page: ListMultipartUploadsCommandOutput = await client.send(
          new ListMultipartUploadsCommand({ Bucket, Prefix, ...from }),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (!Initiated || Initiated >= before) continue;
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
          removed++;
        }
        from = page.IsTruncated
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
      }
      return removed;
    } catch (error) {
      throw asOutage(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    (await this.connected)?.client.destroy();
  }

  private nameOf(key: string) {
    assertKey(key);
    return { Bucket: this.settings.bucket, Key: `${this.settings.prefix}${key}` };
  }

  private connection(): Promise<Connection> {
    return (this.connected ??= connect(this.settings, this.timeoutMs));
  }
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function connect(settings: S3Settings, timeoutMs: number) {
  const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client: S3Client = new sdk.S3Client({
    ...(endpoint && { endpoint: endpoint.href }),
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
    },
    // Servers other than Amazon's often lack additional checksums, and some reject them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { ...sdk, Upload, client };
}

/** The result, or undefined when the blob does not exist. */
async function orNothing<R>(work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work();
  } catch (error) {
    if (['NoSuchKey', 'NotFound'].includes((error as Error | null)?.name ?? '')) return undefined;
    if ((error as Error | null)?.name === 'InvalidRange')
      throw new RangeError('the range is outside the blob', { cause: error });
    throw asOutage(error);
  }
}

const AWAY =
  /\b(ECONN[A-Z]+|E(HOST|NET)(UNREACH|DOWN)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|TimeoutError|AbortError|socket hang up)\b/;

/** No response, a timeout, or a request to retry later. A rejected bucket or key is an internal error. */
function asOutage(error: unknown): unknown {
  const { name, code, message, $metadata } = (error ?? {}) as {
    name?: string;
    code?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  const away = status >= 500 || status === 429 || AWAY.test(`${code} ${name} ${message}`);
  return away ? new BlobStoreUnavailable(error) : error;
}
