import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

let place: Place;
let demo: Record<string, string>;
beforeAll(async () => {
  place = await Place.make({ LOG_LEVEL: 'warn' });
  await place.serve();
  demo = JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
});
afterAll(() => place?.leave());

it('lists, shows and deletes the webhooks of applications', async () => {
  const listed = await place.inside(['webhook', 'list']);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(listed.stdout).toContain(`${demo.base_url}/demo/webhook`);
  const { stdout } = await place.inside(['webhook', 'list', '--app', 'Marquee Demo', '--json']);
  const [first, spare] = JSON.parse(stdout) as Record<string, unknown>[];
  expect(first).toEqual({
    webhook_id: demo.webhook_id,
    application_id: expect.any(String),
    url: `${demo.base_url}/demo/webhook`,
    valid: true,
    invalid_reason: null,
    created_at: expect.any(String),
    validated_at: expect.any(String),
    next_check_at: expect.any(String),
    failing_since: null,
  });
  const id = String(spare.webhook_id);
  expect(JSON.parse((await place.inside(['webhook', 'show', id, '--json'])).stdout)).toEqual(spare);
  expect((await place.inside(['webhook', 'delete', id])).stdout).toMatch(/is deleted/);
  for (const command of ['show', 'delete'])
    expect(await place.inside(['webhook', command, id])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/there is no webhook \d+; `marquee webhook list` shows them/),
    });
});
