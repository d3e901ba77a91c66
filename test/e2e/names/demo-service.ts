import { request, type IncomingMessage } from 'node:http';
import { docsLink } from '../../../src/demo/credentials-file.js';
import { seedDemo } from '../../../src/demo/demo.js';
import { world } from '../../support/app.js';
import type { ServedDemo } from '../docs/carried-out.js';

/** The service of this spec file with the demo, as the tests of the documentation know a service. */
export async function demoService(): Promise<ServedDemo> {
  const demo = (await seedDemo(world().app, world().config))!;
  const port = Number(new URL(world().direct).port);
  return {
    port,
    url: `http://localhost:${port}`,
    credentials: () => demo as unknown as Record<string, string>,
    key: () => docsLink('', demo).split('#key=')[1],
    ask: (path, headers = {}, method = 'GET') =>
      new Promise((resolve, reject) => {
        const answered = (response: IncomingMessage) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
        };
        request({ host: '127.0.0.1', port, method, path, headers }, answered).on('error', reject).end();
      }),
  };
}
