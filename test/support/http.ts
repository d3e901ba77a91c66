import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { unlikeDocument } from './contract.js';

/** What came as JSON: tests look into whatever it is. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The parsed body where it is JSON; else undefined. */
  body: Json;
  text: string;
}

export interface Wire {
  method: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends a request exactly as it is given, on connections that are kept; `target` may be anything that fits in a request line.
 * Every answer has to be as openapi.json says.
 */
export function send(origin: string, target: string, { method, headers = {}, body }: Wire): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      { agent, hostname, port, method, path: target, headers: { ...length, ...headers } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
          const status = incoming.statusCode!;
          const parsed: Json = isJson ? JSON.parse(text) : undefined;
          // the document has the names of this service
          const isInjected = 'x-marquee-fault' in incoming.headers;
          const fault =
            headers['x-marquee-names'] === 'x' ? undefined : unlikeDocument(method, target, status, parsed, isInjected);
          if (fault) return reject(new Error(fault));
          resolve({ status, headers: incoming.headers, body: parsed, text });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
