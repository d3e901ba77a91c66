import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Json } from './http.js';

/** What a receiver was sent. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  event: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves when so many have arrived, or so many of which this is so, with all of those. */
  until(count: number, which?: (received: Received) => boolean): Promise<Received[]>;
  /** The paths of the challenges that came, with their queries. */
  challenges: string[];
  /** Answers a challenge: what it returns is sent as JSON, unless it ended the answer itself. By default what is right. */
  challenged: (token: string, response: ServerResponse) => unknown;
  /** How the next ones are answered: with a status, by a function, or not at all (null). */
  answers: number | null | ((response: ServerResponse, nth: number) => void);
}

const open: { close(): Promise<void> }[] = [];

/** Ends the receivers of a test; to be called after each. */
export async function closeReceivers(): Promise<void> {
  for (const each of open.splice(0)) await each.close();
}

/** What somebody makes of a text who has the consumer secret. */
export const hmacOf = (consumerSecret: string, text: string): string =>
  `sha256=${createHmac('sha256', consumerSecret).update(text).digest('base64')}`;

/** A server that webhooks are sent to. It answers 200, and challenges of the application with this secret, unless told otherwise. */
export async function receiver(consumerSecret = ''): Promise<Receiver> {
  const arrivals = new EventEmitter();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const token = new URL(request.url!, own.url).searchParams.get('crc_token');
      if (request.method === 'GET' && token !== null) {
        own.challenges.push(request.url!);
        const answer = own.challenged(token, response);
        if (answer !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
        return;
      }
      received.push({ path: request.url!, headers: request.headers, text, event: JSON.parse(text) });
      const { answers } = own;
      if (typeof answers === 'function') answers(response, received.length);
      else if (answers !== null) response.writeHead(answers).end();
      arrivals.emit('arrival');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    challenges: [],
    challenged: (token) => ({ response_token: hmacOf(consumerSecret, token) }),
    answers: 200,
    async until(count, which = () => true) {
      while (received.filter(which).length < count) await once(arrivals, 'arrival');
      return received.filter(which);
    },
  };
  open.push({
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return own;
}

/**
 * Keeps the next challenge waiting. Resolves when it has come, with the function that answers it: rightly, or with this
 * object. Those after it are answered at once.
 */
export function heldChallenge(target: Receiver): Promise<(wrong?: object) => void> {
  const { challenged } = target;
  return new Promise((resolve) => {
    target.challenged = (token, response) => {
      target.challenged = challenged;
      resolve((wrong) => {
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(wrong ?? challenged(token, response)));
      });
    };
  });
}

/** Throws unless both signatures of what was received were made with this consumer secret. */
export function verify({ headers, text }: Received, consumerSecret: string, now: Date): void {
  if (headers['x-platform-webhooks-signature'] !== hmacOf(consumerSecret, text))
    throw new Error('our own signature is wrong');
  const standard = new StandardWebhook(`whsec_${Buffer.from(consumerSecret).toString('base64')}`);
  // the library goes by the machine's time
  if (Math.abs(now.getTime() - Date.now()) < 60_000) standard.verify(text, headers as Record<string, string>);
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  if (standard.sign(headers['webhook-id'] as string, at, text) !== headers['webhook-signature'])
    throw new Error('the signature of Standard Webhooks is wrong');
}
