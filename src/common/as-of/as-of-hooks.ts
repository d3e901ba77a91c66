import type { FastifyInstance } from 'fastify';
import { isCalendarDate } from '../../config/environment.js';
import { invalid } from '../errors/catalogue.js';
import { quotedValue } from '../http/params/refusals.js';
import { familyOf } from '../http/urls/public-urls.js';

/** The request header that chooses the date whose behavior of X a request gets, and the response header with this date. */
export const AS_OF_HEADER = 'x-marquee-as-of';

declare module 'fastify' {
  interface FastifyRequest {
    /** The date that the request chooses, otherwise that of the setting; undefined for the specification. */
    asOf: string | undefined;
  }
}

/** Reads the date of each request. `byDefault`: the setting `AS_OF`. A date that is none is 400. */
export function installAsOf(fastify: FastifyInstance, byDefault: string | undefined): void {
  fastify.decorateRequest('asOf', byDefault);
  fastify.addHook('onRequest', (request, reply, done) => {
    const given = request.headers[AS_OF_HEADER];
    if (given === undefined) {
      if (byDefault !== undefined && familyOf(request.url) === 'ads') reply.header(AS_OF_HEADER, byDefault);
      return done();
    }
    if (typeof given !== 'string' || !isCalendarDate(given)) return done(notADate(given));
    request.asOf = given;
    reply.header(AS_OF_HEADER, given);
    done();
  });
}

const notADate = (given: unknown) =>
  invalid(AS_OF_HEADER, `Expected a date such as 2026-11-01 for ${AS_OF_HEADER}, got ${quotedValue(given)}`, {
    value: given,
  });
