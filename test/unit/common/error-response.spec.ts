import { Logger } from '@nestjs/common';
import { fastify } from 'fastify';
import pg from 'pg';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { sendError } from '../../../src/common/http/errors/error-response.js';

const answerTo = async (thrown: Error) => {
  const app = fastify();
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.get('/12/accounts', () => Promise.reject(thrown));
  const answer = await app.inject({ url: '/12/accounts' });
  await app.close();
  return answer;
};

/** A connection that nobody takes, as Node tells of it: a name with two addresses, and one address. */
const refused = async (host: string) => {
  const client = new pg.Client({ host, port: 9, user: 'nobody', database: 'nothing' });
  return client.connect().then(
    () => new Error('somebody answers on port 9'),
    (error: Error) => error,
  );
};

describe('a database that is away', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it.each(['127.0.0.1', 'localhost'])('at %s is answered with 503, and when to come again', async (host) => {
    const answer = await answerTo(await refused(host));
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  it('is not what another error with a code is', async () => {
    const answer = await answerTo(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    expect(answer.statusCode).toBe(500);
  });
});

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

it('leaves the stack traces of other errors alone, also when the message is no text', () => {
  const { stackTraceLimit } = Error;
  expect(() => new ApiError(400, 'X', undefined as unknown as string)).toThrow(TypeError);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
