import type { FastifyRequest } from 'fastify';
import { type Config, withoutSlash } from '../../../config/config.js';
import { sentenceOf, type ApiError } from '../../errors/api-error.js';
import { readEndpoints, withoutParameterNames } from './endpoints.js';
import { type AdsEnvironment, familyOf, originOf } from '../urls/public-urls.js';
import { replacementOf } from './former-endpoints.js';
import { type KnownEndpoint, similarEndpoint } from './route-hints.js';
import { synonymHint, foreignPathHint } from './synonyms.js';
import { absentEndpointAt, absentHint, readReference } from './x-reference.js';

/** The response header that names ignored parameters with nearly known names; the body does not mention them. */
export const HINT_HEADER = 'x-marquee-hint';

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent in production mode, where hints are not sent. */
    hints?: Hints;
  }
}

/** A route that the server registered. */
interface Registered {
  method: string;
  url: string;
}

/** Hints for developers about rejected requests; there are none in production mode. */
export class Hints {
  /** Read at startup, so that a missing file is reported then and not in a response. */
  private readonly all = readEndpoints();
  private readonly reference = readReference();
  private endpoints?: KnownEndpoint[];

  /** `routes` may grow until the first request. */
  constructor(
    private readonly config: Config,
    private readonly routes: readonly Registered[],
  ) {}

  /** For a request without a route, or with the wrong base URL: the endpoint that was probably meant. */
  forUnrouted(request: FastifyRequest): string | undefined {
    const path = pathOf(request);
    const { environment, misdirected } = originOf(request.raw);
    const former = this.former(request);
    if (former !== undefined) return former;
    const absent = absentEndpointAt(request.method, path, this.reference);
    if (absent) return absentHint(absent);
    const meant = similarEndpoint({ method: request.method, path, sandbox: environment === 'sandbox' }, this.known());
    if (!meant) return familyOf(path) === 'ads' ? foreignPathHint(path) : undefined;
    const { endpoint, mistakes } = meant;
    const { method } = endpoint;
    const asked = mistakes.join(' ');
    if (endpoint.planned)
      return mistakes.length === 0 ? notYet(endpoint) : `Did you mean ${endpoint.path}? ${asked} ${notYet(endpoint)}`;
    // The path is correct, but there is no route.
    if (mistakes.length === 0 && !misdirected) return undefined;
    const isAuth = familyOf(meant.path) !== 'ads';
    const url = this.urlOf(meant.path, meant.sandbox && !isAuth ? 'sandbox' : 'production');
    const place = meant.sandbox && isAuth ? 'This endpoint has no sandbox URL.' : misdirected ? 'Use this URL.' : '';
    return [`Did you mean ${method} ${url}?`, place, asked].filter(Boolean).join(' ') + aboutPath(path);
  }

  /** For a method that a path does not support: what replaces it, or whether it is planned. */
  forMethod(request: FastifyRequest): string | undefined {
    const former = this.former(request);
    if (former !== undefined) return former;
    const meant = similarEndpoint({ method: request.method, path: pathOf(request), sandbox: true }, this.known());
    return meant?.endpoint.planned && meant.mistakes.length === 0 ? notYet(meant.endpoint) : undefined;
  }

  /** For an endpoint or item of the other environment: where that is. */
  inOther(environment: AdsEnvironment, what: string, request: FastifyRequest): string {
    const place = environment === 'sandbox' ? 'in the sandbox' : 'outside the sandbox';
    return `${what} ${place} only: ${request.method} ${this.urlOf(pathOf(request), environment)}`;
  }

  /** For an endpoint of older versions of X's APIs: what replaces it. */
  private former(request: FastifyRequest): string | undefined {
    const path = pathOf(request);
    const found = replacementOf(request.method, path);
    if (!found) return undefined;
    const url = this.urlOf(found.path, originOf(request.raw).environment);
    const about = familyOf(path) === 'ads' ? aboutPath(path) : '';
    return `Use ${found.method} ${url}${found.how === undefined ? '' : `: ${found.how}`}.${about}`;
  }

  private known(): KnownEndpoint[] {
    return (this.endpoints ??= this.read());
  }

  private read(): KnownEndpoint[] {
    const served = this.routes
      .filter(({ method, url }) => method !== 'HEAD' && !url.includes('*'))
      .map(({ method, url }) => ({ method, path: url }));
    const answered = new Set(served.map(({ method, path }) => withoutParameterNames(`${method} ${path}`)));
    const planned = this.all
      .filter(({ route }) => !answered.has(withoutParameterNames(route)))
      .map(({ route }) => {
        const [method, path] = route.split(' ');
        return { method, path, planned: true };
      });
    return [...served, ...planned];
  }

  private urlOf(path: string, environment: AdsEnvironment): string {
    const { baseUrl, adsBaseUrl, adsSandboxBaseUrl } = this.config;
    if (familyOf(path) !== 'ads') return `${withoutSlash(baseUrl)}${path}`;
    return `${withoutSlash(environment === 'sandbox' ? adsSandboxBaseUrl : adsBaseUrl)}${path}`;
  }
}

const notYet = ({ method, path }: KnownEndpoint) =>
  `${method} ${path} is part of this API but does not work yet; docs/support.md lists the endpoints that work.`;

/** About the vocabulary, if a segment of the path is one of X's. */
const aboutPath = (path: string): string =>
  path
    .split('/')
    .map(synonymHint)
    .find((each) => each !== '') ?? '';

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0];

/** Maximum number of hints in a response; later errors get none. */
const MAX_HINTS = 20;
const MAX_TRIED = 100;

/** The body of each error of one response, with its hint when hints are enabled. */
export function bodiesWithHints(hints: Hints | undefined): (error: ApiError) => ReturnType<ApiError['toBody']> {
  let [given, tried] = [0, 0];
  return (error) => {
    const body = error.toBody();
    if (!hints || error.hint === undefined || given === MAX_HINTS || tried === MAX_TRIED) return body;
    tried++;
    const hint = sentenceOf(error.hint);
    if (hint === undefined) return body;
    given++;
    return { ...body, hint };
  };
}
