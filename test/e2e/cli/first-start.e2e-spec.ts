import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { jest } from '@jest/globals';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

let place: Place;
beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
afterEach(() => place.leave());

it('a start on a port that is taken says so, and has written nothing', async () => {
  const other = createPlainServer((_, response) => response.end('<html>')).listen(
    Number(new URL(place.url).port),
    '127.0.0.1',
  );
  await once(other, 'listening');
  try {
    const { exitCode, stdout, stderr } = await place.marquee(['serve']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(
      /^Port \d+ of 127\.0\.0\.1 is taken by another program; `PORT=\d+ npm start` serves on another one\.\n$/,
    );
    expect(readdirSync(place.dataDir)).toEqual([]);

    // A request is not blamed on the credentials there.
    await place.json(['demo']);
    const asked = await place.marquee(['request', 'GET', '/12/accounts']);
    expect(asked.stderr).toMatch(
      /^200 OK {2}GET http:\/\/localhost:\d+\/12\/accounts\nWhat answers at \S+ is not Marquee/,
    );
  } finally {
    other.close();
  }
});

it('has the port from the first moment, and answers 503 there until it is ready', async () => {
  const { child, ended } = place.run(['serve']);
  const statuses = new Set<number>();
  let body: unknown;
  try {
    while (!statuses.has(200) && child.exitCode === null) {
      const answer = await fetch(`${place.url}/health/ready`).catch(() => undefined);
      if (!answer) continue;
      statuses.add(answer.status);
      if (answer.status === 503) body = await answer.json();
    }
    expect([...statuses]).toEqual([503, 200]);
    expect(body).toEqual({ status: 'unavailable', starting: true });
    // It is complete by then.
    expect(await place.marquee(['request', 'GET', '/12/accounts'])).toMatchObject({ exitCode: 0 });
  } finally {
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(0);
  }
});

it('its URLs follow the port of each start, in the credentials and in the callback of the demo', async () => {
  const credentials = () =>
    JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
  await place.json(['demo']);
  const before = credentials();
  const moved = await place.on();
  try {
    await moved.serve();
    expect(credentials()).toEqual({
      ...before,
      base_url: moved.url,
      ads_base_url: moved.url,
      ads_sandbox_base_url: `${moved.url}/sandbox`,
      callback_url: `${moved.url}/demo/callback`,
    });
    expect(moved.url).not.toBe(place.url);
    // Without PORT, as a command is pasted.
    const asked = await place.marquee(['request', 'GET', '/12/accounts']);
    expect(asked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`GET ${moved.url}/12/accounts\n`) });
    expect((await moved.json<{ callbacks: string[] }[]>(['app', 'list']))[0].callbacks).toEqual([
      `${moved.url}/demo/callback`,
    ]);
    const version = await (await fetch(`${moved.url}/version`)).json();
    expect(version).toMatchObject({
      name: 'marquee',
      base_url: moved.url,
      ads_sandbox_base_url: `${moved.url}/sandbox`,
    });
  } finally {
    await moved.stop();
  }
});
