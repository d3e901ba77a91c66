import { authorization, type Credentials, type Params } from '../api.js';
import { world } from '../app.js';
import { send, type Answer } from '../http.js';

const BOUNDARY = 'marquee-boundary';

/** A multipart body: fields, then the file. */
export function multipartOf(fields: Params, file?: Buffer, name = 'media'): Buffer {
  const pieces: (string | Buffer)[] = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${String(value)}\r\n`],
  );
  if (file) {
    pieces.push(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="blob"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      file,
      '\r\n',
    );
  }
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((each) => Buffer.from(each as string)));
}

export const UPLOAD = '/1.1/media/upload.json';

/** Uploads as clients do: fields and file in a multipart body, of which nothing is signed. */
export function sendMultipart(
  { credentials }: { credentials: Credentials },
  fields: Params,
  file?: Buffer,
  {
    path = UPLOAD,
    name = 'media',
    headers = {},
  }: { path?: string; name?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { url } = world();
  return send(url, path, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: authorization(credentials, 'POST', `${url}${path}`),
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: multipartOf(fields, file, name),
  });
}
