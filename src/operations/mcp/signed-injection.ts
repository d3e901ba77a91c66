import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { percentEncode } from '../../auth/headers/percent.js';
import { sign } from '../../auth/signature/signature.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { withoutSlash, type Config } from '../../config/config.js';
import { NAMES_HEADER } from '../../names/vocabulary.js';
import type { ToolRequest } from '../../workbench/mcp/operation-tools.js';
import { VERSION } from '../version.js';

interface Sender {
  caller: Caller;
  /** The address of the client of the tool. */
  address: string;
  /** Seconds since the epoch. */
  timestamp: number;
  /** The header of the client. */
  authorization: string;
}

/**
 * The request of a tool as this process sends it to itself: with the caller's token of OAuth 2.0, or signed for the caller, so that
 * the guards treat it as any other request.
 */
export function signedInjection(
  request: ToolRequest,
  config: Config,
  { caller, address, timestamp, authorization }: Sender,
) {
  const { method, path, params, json } = request;
  const withForm = (method === 'POST' || method === 'PUT') && json === undefined;
  const encoded = params.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
  const url = `${baseOf(request, config)}${path}${withForm || encoded === '' ? '' : `?${encoded}`}`;
  const { protocol, host, pathname, search } = new URL(url);
  const signature = () =>
    sign({
      method,
      url,
      params: withForm ? params : [],
      consumer: { key: caller.application.consumerKey, secret: caller.application.consumerSecret },
      token: { key: caller.token, secret: caller.tokenSecret },
      timestamp,
      nonce: randomBytes(16).toString('hex'),
    });
  const payload = withForm ? encoded : json === undefined ? undefined : JSON.stringify(json);
  return {
    method,
    url: `${pathname}${search}`,
    remoteAddress: address,
    headers: {
      host,
      authorization: caller.scopes ? authorization : signature(),
      'user-agent': `marquee-mcp/${VERSION}`,
      'x-forwarded-proto': protocol.slice(0, -1),
      // tools are described with the names of this service
      [NAMES_HEADER]: 'marquee',
      ...(payload && { 'content-type': json === undefined ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    ...(payload && { payload }),
  } satisfies InjectOptions;
}

/** The public URL that serves the path. */
function baseOf({ path, sandbox }: ToolRequest, { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config): string {
  if (familyOf(path) !== 'ads') return withoutSlash(baseUrl);
  return withoutSlash(sandbox ? adsSandboxBaseUrl : adsBaseUrl);
}
