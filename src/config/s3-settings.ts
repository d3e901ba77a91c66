import type { EnvironmentReader } from './environment.js';

/** A bucket of S3 or a compatible store, with its credentials. */
export interface S3Settings {
  /** Absent: Amazon's endpoint of the region. */
  endpoint?: URL;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether URLs have the bucket in the path instead of the host name. */
  forcePathStyle: boolean;
  /** The prefix of every key: empty, or a text that ends in a slash. */
  prefix: string;
}

/** The S3_* variables. Refuses a missing bucket or key, and a prefix that is no path. */
export function readS3(read: EnvironmentReader): S3Settings {
  const needed = (name: string): string => {
    const given = read.text(name);
    if (given === undefined) read.refuse(name, 'is required with BLOB_STORE=s3');
    return given ?? '';
  };
  const endpoint = read.text('S3_ENDPOINT') === undefined ? undefined : read.url('S3_ENDPOINT', 'http://localhost');
  const prefix = read.text('S3_PREFIX') ?? '';
  if (!/^(?!\/)(?!.*\/\/)[\w./-]*$/.test(prefix))
    read.refuse('S3_PREFIX', 'must contain only letters, digits, . _ - and slashes between them');
  return {
    endpoint,
    region: read.text('S3_REGION') ?? 'us-east-1',
    bucket: needed('S3_BUCKET'),
    accessKeyId: needed('S3_ACCESS_KEY_ID'),
    secretAccessKey: needed('S3_SECRET_ACCESS_KEY'),
    forcePathStyle: read.flag('S3_FORCE_PATH_STYLE', endpoint !== undefined),
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
  };
}
