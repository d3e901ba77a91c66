import type { FastifyInstance } from 'fastify';
import { familyOf } from '../urls/public-urls.js';

const CAPITALS = /[A-Z]/;

/** Converts ids in paths of advertising endpoints to lower case, as in parameters, before any guard reads them. */
export function installPathIds(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const params = request.params as Record<string, string> | null;
    for (const name in params) {
      if (name.endsWith('_id') && CAPITALS.test(params[name]) && familyOf(request.url) === 'ads')
        params[name] = params[name].toLowerCase();
    }
    done();
  });
}
