import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { serveSmall } from '../../support/small-app.js';

/** Less than the time for which an idle connection is kept. */
const PATIENCE_MS = 20_000;

describe('a service that closes', () => {
  it(
    'keeps no connection after a response that was under way',
    async () => {
      const content = new PassThrough();
      @Controller('12/slow')
      class SlowController {
        @Get() read(@Res() reply: FastifyReply): void {
          void reply.type('text/plain').header('content-length', 4).send(content);
        }
      }
      const { url, app, close } = await serveSmall({ controllers: [SlowController] });
      const agent = new Agent({ keepAlive: true });
      try {
        content.write('ab');
        const [response] = (await once(get(`${url}/12/slow`, { agent }), 'response')) as [IncomingMessage];
        expect(response.headers.connection).toBe('keep-alive');
        const closed = close();
        while (app.getHttpServer().listening) await pause(5);
        content.end('cd');
        expect(Buffer.concat((await response.toArray()) as Buffer[]).toString()).toBe('abcd');
        await closed;
      } finally {
        agent.destroy();
      }
    },
    PATIENCE_MS,
  );
});
