import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.js';
import { methodNotAllowed, pageNotFound, routeNotFound } from '../../errors/catalogue.js';
import { routePattern } from '../../text/patterns.js';
import { familyOf, originOf } from '../urls/public-urls.js';

export interface KnownRoute {
  method: string;
  url: string;
  pattern: RegExp;
}

/** Every registered route, to distinguish a wrong method from a wrong path. */
export function knownRoutes(fastify: FastifyInstance): KnownRoute[] {
  const routes: KnownRoute[] = [];
  fastify.addHook('onRoute', ({ method, url }) => {
    const pattern = routePattern(url);
    for (const each of [method].flat()) routes.push({ method: each, url, pattern });
  });
  return routes;
}

/** The methods of a path; a literal segment, such as in `webhooks/replay`, does not match as an id. */
function methodsOf(path: string, routes: KnownRoute[]): string[] {
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const parametersOf = ({ url }: KnownRoute) => url.split('/:').length;
  const fewest = Math.min(...matching.map(parametersOf));
  return [...new Set(matching.filter((each) => parametersOf(each) === fewest).map(({ method }) => method))];
}

export function unmatchedRoute(request: FastifyRequest, routes: KnownRoute[]): ApiError {
  const path = request.url.split('?', 1)[0];
  const ads = familyOf(path) === 'ads';
  const allowed = methodsOf(path, routes);
  if (allowed.length === 0 || originOf(request.raw).misdirected) return routeNotFoundError(request);
  const hint = () => request.server.hints?.forMethod(request);
  if (ads) return methodNotAllowed(request.method, allowed).hinted(hint);
  return new ApiError(
    405,
    34,
    'Sorry, that page does not exist',
    { details: `allowed methods: ${allowed.join(', ')}` },
    { allow: allowed.join(', ') },
  ).hinted(hint);
}

/** The 404 for a path without a route, in the form of its family. */
export function routeNotFoundError(request: FastifyRequest): ApiError {
  const error = familyOf(request.url) === 'ads' ? routeNotFound() : pageNotFound();
  return error.hinted(() => request.server.hints?.forUnrouted(request));
}
