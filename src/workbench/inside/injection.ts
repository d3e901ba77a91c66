import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { percentEncode } from '../../auth/headers/percent.js';
import { sign } from '../../auth/signature/signature.js';
import { AS_OF_HEADER } from '../../common/as-of/as-of-hooks.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { withoutSlash, type Config } from '../../config/config.js';
import { NAMES_HEADER } from '../../names/vocabulary.js';

/** A request that this process sends to itself. */
export interface InsideRequest {
  method: string;
  /** The path, with its parameters filled in. */
  path: string;
  sandbox: boolean;
  /** Parameters of the query, or of the form of a POST or PUT. */
  params: [string, string][];
  /** A JSON body, instead of a form. */
  json?: unknown;
}

interface Sender {
  /** The address of the client on whose behalf it is sent. */
  address: string;
  agent: string;
  /** The `Authorization` header of a request with this URL; `params` are those of its form. */
  authorize: (signed: { method: string; url: string; params: [string, string][] }) => string;
}

/** Signs for a caller, so that guards treat the request as any other one. `timestamp`: in seconds since the epoch. */
export const signedBy =
  ({ application, token, tokenSecret }: Caller, timestamp: number): Sender['authorize'] =>
  (signed) =>
    sign({
      ...signed,
      consumer: { key: application.consumerKey, secret: application.consumerSecret },
      token: { key: token, secret: tokenSecret },
      timestamp,
      nonce: randomBytes(16).toString('hex'),
    });

/** A request that is ready to be sent. */
interface PreparedRequest {
  method: string;
  /** The public URL, without the query. */
  url: string;
  params: [string, string][];
  /** True if the parameters are a form. */
  hasForm: boolean;
  /** The text of a JSON body. */
  text: string | undefined;
  /** The names of this service by default. */
  names?: string;
  /** The date that it chooses; that of the setting by default. */
  asOf?: string;
}

/** The request as `injectionOf` takes it. */
export function prepared({ method, params, json, ...where }: InsideRequest, config: Config): PreparedRequest {
  const hasForm = (method === 'POST' || method === 'PUT') && json === undefined;
  const url = `${baseOf(where, config)}${where.path}`;
  return { method, url, params, hasForm, text: json === undefined ? undefined : JSON.stringify(json) };
}

/** The request as this process sends it to itself. */
export function injectionOf(request: PreparedRequest, { address, agent, authorize }: Sender) {
  const { method, params, hasForm, text, names = 'marquee', asOf } = request;
  const encoded = params.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
  const url = `${request.url}${hasForm || encoded === '' ? '' : `?${encoded}`}`;
  const { protocol, host, pathname, search } = new URL(url);
  const payload = hasForm ? encoded : text;
  return {
    method: method as 'GET',
    url: `${pathname}${search}`,
    remoteAddress: address,
    headers: {
      host,
      authorization: authorize({ method, url, params: hasForm ? params : [] }),
      'user-agent': agent,
      'x-forwarded-proto': protocol.slice(0, -1),
      [NAMES_HEADER]: names,
      ...(asOf !== undefined && { [AS_OF_HEADER]: asOf }),
      ...(payload && { 'content-type': hasForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    ...(payload && { payload }),
  } satisfies InjectOptions;
}

const logger = new Logger('Inside');

/** Sends a request to this process itself. Undefined, with a line in the log, if it ends without a response, as a fault can make it. */
export function inject(server: FastifyInstance, request: InjectOptions): Promise<LightMyRequestResponse | undefined> {
  return server.inject(request).catch((error: Error) => {
    logger.warn(`A request of this process to itself ended without a response: ${error.message}`);
    return undefined;
  });
}

/** The public URL that serves the path. */
function baseOf(
  { path, sandbox }: Pick<InsideRequest, 'path' | 'sandbox'>,
  { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config,
): string {
  if (familyOf(path) !== 'ads') return withoutSlash(baseUrl);
  return withoutSlash(sandbox ? adsSandboxBaseUrl : adsBaseUrl);
}
