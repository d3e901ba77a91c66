import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

let place: Place;
let demo: Record<string, string>;
beforeAll(async () => {
  place = await Place.make({ LOG_LEVEL: 'warn' });
  await place.serve();
  demo = JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
});
afterEach(closeReceivers);
afterAll(() => place.leave());

it('listens: forwards what happens, signed as a webhook is', async () => {
  const target = await receiver(demo.consumer_secret);
  const { child, ended } = place.run(['webhook', 'listen', '--forward-to', target.url]);
  let said = '';
  for (const stream of [child.stderr!, child.stdout!]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  while (!said.includes('Events go to')) await pause(50);
  const { exitCode } = await place.marquee([
    ...[
      'request',
      'POST',
      '/12/accounts/:account_id/campaigns',
      'name=Forwarded',
      'daily_budget_amount_local_micro=5500000',
    ],
    'funding_instrument_id={funding_instrument_id}',
  ]);
  expect(exitCode).toBe(0);
  // what the demo made within the last second may come before it
  const [{ text, headers, event }] = await target.until(1, (each) => each.text.includes('"Forwarded"'));
  expect(event.campaign_events).toMatchObject([{ type: 'create', data: { name: 'Forwarded' } }]);
  const standard = new Webhook(`whsec_${Buffer.from(demo.consumer_secret).toString('base64')}`);
  expect(standard.verify(text, headers as Record<string, string>)).toEqual(event);
  while (!said.includes(' campaign.create ')) await pause(50);
  child.kill('SIGINT');
  const { stdout } = await ended;
  expect(stdout).toMatch(/ campaign\.create [0-9a-z]{13} 200 \(\d+ ms\)\n/);
});

it('triggers: a made-up event, delivered as any other', async () => {
  const target = await receiver(demo.consumer_secret);
  const bearer = await place.marquee([
    'request',
    'POST',
    '/oauth2/token',
    'grant_type=client_credentials',
    '--no-token',
    '-H',
    basic(),
  ]);
  const { access_token: token } = JSON.parse(bearer.stdout) as { access_token: string };
  const made = await place.marquee([
    ...['request', 'POST', '/2/webhooks', '--json', JSON.stringify({ url: target.url })],
    ...['-H', `Authorization: Bearer ${token}`],
  ]);
  const { data } = JSON.parse(made.stdout) as { data: { id: string } };
  for (const kind of ['campaign.update', 'user_event.revoke', 'scheduled_post.published']) {
    const json = await place.json(['webhook', 'trigger', kind, '--webhook', data.id]);
    const [{ event }] = await target.until(1, (each) => each.event.event_id === json.event_id);
    expect(event).toMatchObject({ event_id: json.event_id, test: true });
  }
  expect(await place.marquee(['webhook', 'trigger', 'campaign.paint', '--webhook', data.id])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/no event of the kind campaign\.paint; there are .*campaign\.create/),
  });
  expect(await place.marquee(['webhook', 'trigger', 'campaign.update', '--webhook', '1'])).toMatchObject({
    exitCode: 1,
  });
});

const basic = () =>
  `Authorization: Basic ${Buffer.from(`${demo.consumer_key}:${demo.consumer_secret}`).toString('base64')}`;
