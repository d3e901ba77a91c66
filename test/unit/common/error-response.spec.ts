import { Logger } from '@nestjs/common';
import { fastify } from 'fastify';
import { sendError } from '../../../src/common/http/error-response.js';

describe('a conflict that outlasted its retries', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it.each([['of transactions', Object.assign(new Error('could not serialize'), { code: '40001', severity: 'ERROR' })]])(
    '%s is answered with 503, and when to come again',
    async (_, thrown) => {
      const app = fastify();
      app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
      app.get('/12/accounts', () => Promise.reject(thrown));
      const answer = await app.inject({ url: '/12/accounts' });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.json()).toMatchObject({ errors: [{ code: 'SERVICE_UNAVAILABLE' }] });
      expect(answer.body).not.toMatch(/serialize/);
      await app.close();
    },
  );
});
