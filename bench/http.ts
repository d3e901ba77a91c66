import { randomUUID } from 'node:crypto';
import { sign } from '../src/auth/signature/signature.js';
import type { Asked, Pen } from './load/task.js';

/** Asks a server one signed request and answers the body; anything but 2xx is an error. */
export async function ask(port: number, pen: Pen, { method, target, body }: Asked): Promise<string> {
  const url = `http://127.0.0.1:${port}${target}`;
  const authorization = sign({
    method,
    url,
    ...pen,
    timestamp: Math.floor(Date.now() / 1000),
    nonce: randomUUID(),
  });
  const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
  return text;
}
