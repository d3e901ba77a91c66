import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BearersService } from '../../../src/auth/oauth2/bearers.service.js';
import { world } from '../../support/app.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { send, type Answer, type Json } from '../../support/http.js';

/** A delivery as it arrived. */
export interface Arrived {
  text: string;
  event: Json;
  headers: Record<string, string>;
}

/** A receiver that passes challenges, unless it `forgets`, and keeps what it is sent. */
export interface ChallengedReceiver {
  url: string;
  arrived: Arrived[];
  /** Whether it answers challenges wrongly. */
  forgets: boolean;
  /** The status that deliveries are answered with. */
  status: number;
  /** Resolves when as many of what arrived are so. */
  until(count: number, which?: (arrived: Arrived) => boolean): Promise<Arrived[]>;
}

const open: (() => Promise<unknown>)[] = [];

/** To be called after each test. */
export async function closeChallenged(): Promise<void> {
  for (const close of open.splice(0)) await close();
}

/** Listens on this machine, for the application with this consumer secret. */
export async function challengedReceiver(consumerSecret: string): Promise<ChallengedReceiver> {
  let heard = () => undefined as void;
  const server = createServer((request, response) => {
    const token = new URL(request.url!, 'http://localhost').searchParams.get('crc_token');
    if (request.method === 'GET' && token !== null) {
      const secret = own.forgets ? 'another secret' : consumerSecret;
      const response_token = `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`;
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ response_token }));
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      own.arrived.push({ text, event: JSON.parse(text), headers: request.headers as Record<string, string> });
      response.writeHead(own.status).end();
      heard();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const own: ChallengedReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    arrived: [],
    forgets: false,
    status: 200,
    async until(count, which = () => true) {
      while (own.arrived.filter(which).length < count) await new Promise<void>((resolve) => (heard = resolve));
      return own.arrived.filter(which);
    },
  };
  return own;
}

/** Calls the `/2` family with the bearer token of an application. */
export async function asApplication(
  { id }: Application,
  method: string,
  path: string,
  json?: unknown,
): Promise<Answer> {
  const authorization = `Bearer ${await world().get(BearersService).issue(id)}`;
  return send(world().url, path, {
    method,
    headers: { authorization, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

export interface Listening {
  application: Application;
  advertiser: Advertiser;
  receiver: ChallengedReceiver;
  webhookId: string;
}

/** An application that has a webhook with a subscription to all accounts, and somebody with an account who uses it. */
export async function listening(): Promise<Listening> {
  const application = await given.application();
  const advertiser = await given.advertiser({ application });
  const receiver = await challengedReceiver(application.consumer.secret);
  const { body, status } = await asApplication(application, 'POST', '/2/webhooks', { url: receiver.url });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const webhookId = body.data.id as string;
  await asApplication(application, 'POST', `/2/webhooks/${webhookId}/subscriptions`, {});
  return { application, advertiser, receiver, webhookId };
}
