import { randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { sign } from '../../../src/auth/signature/signature.js';
import type { Pen } from '../../../bench/load/task.js';

/** A request that is ready to be sent, once or, by somebody who has overheard it, again. */
export interface Sendable {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface Answer {
  status: number;
  body: string;
  headers: IncomingHttpHeaders;
  /** The last one that it sets, as the client sends it back. */
  cookie?: string;
}

const KEEP_ALIVE = new Agent({ keepAlive: true, maxSockets: 512 });

/**
 * Signs a request as a client does that knows the service by this host; a body is JSON, which is not signed. `params`:
 * those of a form that is sent instead.
 */
export function signed(
  host: string,
  pen: Pen,
  method: string,
  target: string,
  body?: string,
  params: [string, string][] = [],
): Sendable {
  const authorization = sign({
    method,
    url: `http://${host}${target}`,
    params,
    ...pen,
    timestamp: Math.floor(Date.now() / 1000),
    nonce: randomUUID(),
  });
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return { method, target, headers: { host, authorization, ...type }, body };
}

/** Sends a request to a port of this machine, whatever host it was signed for. */
export function ask(
  port: number,
  { method, target, headers, body }: Sendable,
  agent: Agent | false = KEEP_ALIVE,
  address = '127.0.0.1',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> =
      method === 'GET' ? {} : { 'content-length': `${Buffer.byteLength(body ?? '')}` };
    const asked = request(
      { port, host: address, method, path: target, headers: { ...headers, ...length }, agent },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            body: text,
            headers: response.headers,
            cookie: response.headers['set-cookie']?.at(-1)?.split(';')[0],
          }),
        );
        response.on('error', reject);
      },
    );
    asked.setTimeout(60_000, () => asked.destroy(new Error('no answer within a minute')));
    asked.on('error', reject);
    asked.end(body);
  });
}
