import type { FastifyInstance } from 'fastify';
import { isPlaceholder } from '../../errors/placeholder.js';
import { familyOf } from '../urls/public-urls.js';

const CAPITALS = /[A-Z]/;

/**
 * Converts ids in paths of advertising endpoints to lower case, as in parameters, before any guard reads them. What is no id, such
 * as `None`, stays as it was sent, for the error that names it.
 */
export function installPathIds(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const params = request.params as Record<string, string> | null;
    for (const name in params) {
      const id = params[name];
      if (name.endsWith('_id') && CAPITALS.test(id) && familyOf(request.url) === 'ads' && !isPlaceholder(id))
        params[name] = id.toLowerCase();
    }
    done();
  });
}
