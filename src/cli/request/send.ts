import { connect } from 'node:tls';
import { isIP } from 'node:net';
import { CommandRefusal } from '../refusal.js';
import type { Draft } from './draft.js';

const PATIENCE_MS = 3_000;

/** The error codes of a TLS handshake with a server that speaks http. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO']);

/** Sends a request; a failed connection is a Refusal. */
export async function send({
  method,
  url,
  headers,
  body,
}: Omit<Draft, 'body'> & { body?: string | Uint8Array<ArrayBuffer> }): Promise<Response> {
  try {
    return await fetch(url, { method, headers, body, redirect: 'manual' });
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] } };
    const code = cause?.code ?? cause?.errors?.[0]?.code;
    const { origin, hostname, protocol } = new URL(url);
    if (code === 'ECONNREFUSED')
      throw new CommandRefusal(`no service listens at ${origin}; start it with \`npm start\` or \`marquee serve\``);
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') throw new CommandRefusal(`the host ${hostname} does not exist`);
    if (protocol === 'https:' && code !== undefined && NOT_TLS.has(code))
      throw new CommandRefusal(speaksOnly('http', url));
    if (protocol === 'http:' && (await speaksTls(url))) throw new CommandRefusal(speaksOnly('https', url));
    throw new CommandRefusal(`${origin} does not answer: ${cause?.message || code || (error as Error).message}`);
  }
}

/** A sentence that the server expects https, if its answer shows that. */
export async function schemeProblemOf(url: string, answer: Response): Promise<string | undefined> {
  if (!url.startsWith('http:')) return undefined;
  if (isSentOnToHttps(url, answer))
    return `${new URL(url).host} redirects http to https, but a signature is valid for one of them; ${giveScheme('https')}.`;
  // some servers answer plain http on a TLS port with a 400
  return answer.status === 400 && (await speaksTls(url)) ? `${speaksOnly('https', url)}.` : undefined;
}

function isSentOnToHttps(url: string, { status, headers }: Response): boolean {
  const location = headers.get('location') ?? '';
  if (status < 300 || status > 399 || !URL.canParse(location)) return false;
  const { protocol, hostname } = new URL(location);
  return protocol === 'https:' && hostname === new URL(url).hostname;
}

const speaksOnly = (scheme: 'http' | 'https', url: string) => {
  const { host, protocol } = new URL(url);
  return `${host} speaks ${scheme}, not ${protocol.slice(0, -1)}; ${giveScheme(scheme)}`;
};

const giveScheme = (scheme: string) => `begin the URL, or base_url of the credentials, with ${scheme}://`;

/** True if the server there speaks TLS, with any certificate. */
function speaksTls(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const servername = isIP(host) ? undefined : host;
    const socket = connect({ host, port: Number(port || 80), servername, rejectUnauthorized: false });
    const end = (speaks: boolean) => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(PATIENCE_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
  });
}
