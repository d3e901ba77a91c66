import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { type Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { able } from '../docs/snippets.js';

const FOLDER = import.meta.dirname;

/** What runs the program that sends for a language; undefined where its library is not installed. */
export const PROGRAMS = {
  python: { program: able(['python3', '/usr/bin/python3'], '-c', 'import requests_oauthlib'), file: 'send.py' },
  ruby: { program: able(['ruby'], '-e', "require 'oauth'"), file: 'send.rb' },
};

export interface Wire {
  method: string;
  url: string;
  params?: object;
  headers?: Record<string, string>;
  body?: string;
  form?: object;
  /** Base64. */
  file?: string;
}

/** A process that signs and sends requests, one after the other. */
export class Sender {
  private readonly child;
  private readonly lines;

  constructor(language: keyof typeof PROGRAMS, keys: object, env: Record<string, string>) {
    const { program, file } = PROGRAMS[language];
    const { PATH = '' } = process.env;
    this.child = spawn(program!, [join(FOLDER, file)], {
      env: { PATH, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.write(keys);
  }

  async send(wire: Wire): Promise<{ status: number; text: string }> {
    this.write(wire);
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the sender has ended');
    return JSON.parse(value) as { status: number; text: string };
  }

  close() {
    this.child.stdin.end();
  }

  private write(value: object) {
    this.child.stdin.write(`${JSON.stringify(value)}\n`);
  }
}

/** The header that the script of X's Postman collection makes: its parameters are in the order in which it collects them. */
function headerOfPostman(keys: Record<string, string>, method: string, url: string, query: [string, string][]): string {
  const protocol: [string, string][] = [
    ['oauth_consumer_key', keys.consumer_key],
    ['oauth_token', keys.access_token],
    // ends in `=`, which is encoded
    ['oauth_nonce', encodeURIComponent(randomBytes(32).toString('base64'))],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_version', '1.0'],
    ['oauth_timestamp', String(Math.round(Date.now() / 1_000))],
  ];
  const parameters = [...protocol, ...query].map(([name, value]) => `${name}=${value}`).sort();
  const base = [method, url, parameters.join('&')].map(encodeURIComponent).join('&');
  const signature = createHmac('sha1', `${keys.consumer_secret}&${keys.access_token_secret}`)
    .update(base)
    .digest('base64');
  const all = [...protocol, ['oauth_signature', encodeURIComponent(signature)]];
  return `OAuth ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/** Sends a request as X's Postman collection does: all parameters in the query, and no body. */
export function sendAsPostman(
  keys: Record<string, string>,
  agent: Agent,
  method: string,
  url: string,
  params: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const query = Object.entries(params).map(([name, value]): [string, string] => [name, encodeURIComponent(value)]);
  const authorization = headerOfPostman(keys, method, url, query);
  const target = `${url}?${query.map((pair) => pair.join('=')).join('&')}`;
  return new Promise((resolve, reject) => {
    request(target, { method, agent, headers: { authorization } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    })
      .on('error', reject)
      .end();
  });
}
