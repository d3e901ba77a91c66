import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Pen } from '../../../bench/load/task.js';
import type { World } from '../../../bench/world.js';
import type { Medium } from './media.js';
import type { Replica } from './replica.js';
import { type Answer, signed } from './requests.js';

export const UPLOAD = '/1.1/media/upload.json';
const AGENT = new Agent({ keepAlive: true, maxSockets: 128 });

/** A replica, and who uploads to it. */
export interface Service {
  replica: Replica;
  world: World;
  host: string;
}

export interface Multipart {
  boundary: string;
  pieces: Buffer[];
}

/** Fields, then the file, which is not copied. */
export function multipart(fields: Record<string, string>, file?: Buffer): Multipart {
  const boundary = randomUUID();
  const head = (about: string) => `--${boundary}\r\nContent-Disposition: form-data; ${about}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${head(`name="${name}"`)}${value}\r\n`);
  const begin = file ? [Buffer.from(head('name="media"; filename="file"')), file, Buffer.from('\r\n')] : [];
  return { boundary, pieces: [Buffer.from(texts.join('')), ...begin, Buffer.from(`--${boundary}--\r\n`)] };
}

export function post(
  { replica, host, world }: Service,
  { boundary, pieces }: Multipart,
  { manner, pen = world.pen }: { manner?: Medium['manner']; pen?: Pen } = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const { method, headers } = signed(host, pen, 'POST', UPLOAD);
  if (manner === 'unsigned') delete headers.authorization;
  const sent = {
    ...headers,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': pieces.reduce((bytes, piece) => bytes + piece.length, 0),
  };
  return new Promise((resolve, reject) => {
    const { port } = replica;
    const asked = request(
      { port, host: '127.0.0.1', method, path: UPLOAD, headers: sent, agent: AGENT },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode!, body }));
        response.on('error', reject);
      },
    );
    asked.setTimeout(60_000, () => asked.destroy(new Error('no answer within a minute')));
    asked.on('error', reject);
    if (manner === 'leaves') {
      asked.write(pieces[0]);
      asked.write(pieces[1]);
      asked.write(pieces[2].subarray(0, 6_000_000), () => asked.destroy());
      return;
    }
    for (const piece of pieces) asked.write(piece);
    asked.end();
  });
}

/** How often there was each status; 0 where there was no answer. */
export function tally(statuses: number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, n]) => `${n} x ${status === 0 ? 'none' : status}`).join(', ');
}
