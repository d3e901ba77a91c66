import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokensFrom, type OAuth2Client, type OAuth2Tokens } from '../credentials/oauth2-tokens.js';
import { CommandRefusal } from '../refusal.js';
import { send } from '../request/send.js';

interface Metadata {
  issuer: string;
  authorization_endpoint: string;
}

const CALLBACK_PATH = '/callback';

/**
 * Signs in by the browser of this machine: waits on a loopback address for the callback, and exchanges its code. `show`
 * gets the URL of the page. A Refusal if the user refuses, or nothing arrives in time.
 */
export async function signInByBrowser(
  client: OAuth2Client,
  { scope, patienceMs }: { scope: string; patienceMs: number },
  show: (page: string) => Promise<void> | void,
): Promise<OAuth2Tokens> {
  const { issuer, authorization_endpoint: page } = await metadataOf(client);
  const [state, verifier] = [randomText(), randomText()];
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${CALLBACK_PATH}`;
    const query = {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const arriving = callbackOf(listener, state, patienceMs);
    await show(`${page}?${new URLSearchParams(query).toString()}`);
    const callback = await arriving;
    const [code, from] = [callback.get('code'), callback.get('iss')];
    if (callback.has('error'))
      throw new CommandRefusal(
        `the sign-in failed: ${callback.get('error')}: ${callback.get('error_description') ?? ''}`,
      );
    if (!code || from !== issuer) throw new CommandRefusal(`the callback is not from ${issuer}; start again`);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return await tokensFrom(client, form);
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
}

const randomText = () => randomBytes(32).toString('base64url');

async function metadataOf({ baseUrl }: OAuth2Client): Promise<Metadata> {
  const url = `${baseUrl}/.well-known/oauth-authorization-server`;
  const answer = await send({ method: 'GET', url, headers: [], form: [] });
  const metadata = (await answer.json().catch(() => undefined)) as Partial<Metadata> | undefined;
  if (!answer.ok || !metadata?.issuer || !metadata.authorization_endpoint)
    throw new CommandRefusal(`${baseUrl} has no OAuth 2.0; check whether the URL is a Marquee service`);
  return metadata as Metadata;
}

/** The parameters of the first callback with this state. */
function callbackOf(listener: ReturnType<typeof createServer>, state: string, patienceMs: number) {
  return new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(() => reject(new CommandRefusal('nobody signed in; start again')), patienceMs);
    listener.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs = pathname === CALLBACK_PATH && searchParams.get('state') === state;
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', 'referrer-policy': 'no-referrer' });
      response.end(isOurs ? 'You can close this page and return to the terminal.\n' : 'Not found\n');
      if (!isOurs) return;
      clearTimeout(timer);
      resolve(searchParams);
    });
  });
}
