import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { LRUCache } from 'lru-cache';
import { Clock } from '../common/time/clock.js';
import { VERSION } from '../operations/version.js';
import { VOCABULARIES } from '../config/config.js';
import { signatureHeaders } from '../webhooks/deliveries/signatures.js';
import { CommandRefusal } from './refusal.js';
import { profileName } from './credentials/profiles.js';
import { collectValues } from './parsing.js';
import { baseUrlsOf, findCredentials, requiredCredential, type NamedCredentials } from './credentials/credentials.js';
import type { ProcessTerminal } from './terminal.js';

interface Listen extends NamedCredentials {
  forwardTo: URL;
}

/** The interval between polls while there are no events, and after a failure. */
const WAIT_SECONDS = 10;
const RETRY_MS = 2_000;
/** The timeout of a delivery. */
const FORWARD_MS = 10_000;
const ASK_MS = 30_000;
/** The number of forwarded events that are remembered. */
const MAX_KNOWN = 10_000;

/** `webhook listen`: forwards events to a receiver on the developer's machine. */
export function addWebhookListen(webhook: Command, terminal: ProcessTerminal): void {
  webhook
    .command('listen')
    .summary('forward events to a receiver on this machine')
    .description(
      'Forwards the events of the ad accounts that an application may read to a URL, with the headers and signatures of a ' +
        'webhook, until it is interrupted. It needs no webhook and no public URL. Each event is forwarded once, whatever the ' +
        'answer; events that occur while the command does not run are not forwarded later.',
    )
    .requiredOption('--forward-to <url>', 'the URL of the receiver, such as http://localhost:3000/webhook', urlOf)
    .option(
      '-c, --credentials <file>',
      'a JSON file with consumer_key, consumer_secret and base_url; may be repeated (default: as for `request`)',
      collectValues,
    )
    .option('-p, --profile <name>', 'use the application of this login', profileName)
    .addHelpText('after', '\nExample:\n  $ marquee webhook listen --forward-to http://localhost:3000/webhook')
    .action((options: Listen) => listen(options, terminal));
}

function urlOf(given: string): URL {
  if (!URL.canParse(given) || !/^https?:/.test(given))
    throw new InvalidArgumentError('It must be an http or https URL.');
  return new URL(given);
}

interface Answer {
  data: { event_id: string; body: string }[];
  meta: { next_token: string };
}

async function listen({ forwardTo, ...named }: Listen, terminal: ProcessTerminal): Promise<void> {
  const found = findCredentials(named);
  const base = baseUrlsOf(found.credentials).auth();
  const consumer = {
    key: requiredCredential(found, 'consumer_key'),
    secret: requiredCredential(found, 'consumer_secret'),
  };
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  let bearer = await bearerOf(base, consumer);
  let next: string | undefined;
  for (;;) {
    const answer = await follow(base, bearer, next);
    if (answer instanceof Response && answer.status === 401) bearer = await bearerOf(base, consumer);
    if (answer instanceof Response || answer instanceof Error) {
      terminal.err(`The service does not answer correctly: ${await reasonOf(answer)}\n`);
      const after = answer instanceof Response ? Number(answer.headers.get('retry-after')) * 1_000 : 0;
      await pause(Math.max(after, RETRY_MS));
      continue;
    }
    // only now, because events are forwarded from this moment on
    if (next === undefined) terminal.err(`Events go to ${forwardTo.href}.\n`);
    next = answer.meta.next_token;
    for (const { event_id: id, body } of answer.data) {
      if (known.has(id)) continue;
      known.set(id, true);
      terminal.out(`${await forward(forwardTo, consumer.secret, id, body)}\n`);
    }
  }
}

/** The application's bearer token. */
async function bearerOf(base: string, { key, secret }: { key: string; secret: string }): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64');
  const answer = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'user-agent': `marquee/${VERSION}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(ASK_MS),
  }).catch((error: Error) => error);
  if (answer instanceof Error) throw new CommandRefusal(`no service answers at ${base}: ${await reasonOf(answer)}`);
  if (!answer.ok)
    throw new CommandRefusal(`${base} returns no bearer token for this consumer key: ${await reasonOf(answer)}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** The events since the last poll; else the error answer, or the reason why there is none. */
async function follow(base: string, bearer: string, next: string | undefined): Promise<Answer | Response | Error> {
  const query = new URLSearchParams(
    next === undefined ? {} : { pagination_token: next, wait_seconds: `${WAIT_SECONDS}` },
  );
  try {
    const answer = await fetch(`${base}/2/webhooks/events?${query.toString()}`, {
      headers: { authorization: `Bearer ${bearer}`, 'user-agent': `marquee/${VERSION}` },
      signal: AbortSignal.timeout(ASK_MS),
    });
    return answer.ok ? ((await answer.json()) as Answer) : answer;
  } catch (error) {
    return error as Error;
  }
}

/** Posts an event like a delivery and returns the result in one line. */
async function forward(url: URL, secret: string, id: string, body: string): Promise<string> {
  const { kindOfBody } = await import('../webhooks/events/event-body.js');
  const at = new Clock();
  const line = `${at.now().toISOString()} ${kindOfBody(JSON.parse(body) as object)} ${id}`;
  const begun = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // the service may have either vocabulary
      ...VOCABULARIES.reduce(
        (all, names) => ({ ...signatureHeaders(secret, id, at.seconds(), body, names), ...all }),
        {},
      ),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(FORWARD_MS),
  }).catch((error: Error) => error);
  const ms = Math.round(performance.now() - begun);
  if (answer instanceof Error) return `${line} failed: ${await reasonOf(answer)}`;
  await answer.body?.cancel();
  return `${line} ${answer.status} (${ms} ms)`;
}

async function reasonOf(answer: Response | Error): Promise<string> {
  if (answer instanceof Response) return `${answer.status} ${(await answer.text()).slice(0, 300)}`;
  const { cause } = answer as { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? answer.message;
}
