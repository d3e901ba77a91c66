import { randomUUID } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { write } from '../../../src/common/db/query/write.js';
import { eventWrite } from '../../../src/common/outbox/outbox.js';
import { isIdempotent, operationsOf } from '../../../src/operations/docs/operation.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { send, type Json } from '../../support/http.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { carriedOut, type ServedDemo } from '../docs/carried-out.js';
import { demoService } from '../names/demo-service.js';

/**
 * Every write that accepts an Idempotency-Key, with a key. A statement that leaves the transaction of its request is an
 * error in tests, and so a 500 here.
 */

useApp({ RATE_LIMITS: 'off' }, 1);
afterEach(closeReceivers);

/** What would otherwise spare a statement. */
async function emptyCaches(): Promise<void> {
  const db = world().get(DataSource).manager;
  for (const channel of ['accounts', 'funding', 'promotable users', 'reference'])
    await world().get(DatabaseNotifications).publish(db, channel, '');
}

it('are performed in one transaction, as the document shows them', async () => {
  const service: ServedDemo = await demoService();
  const { text } = await service.ask('/docs/openapi.json', { host: `localhost:${service.port}` });
  const document = JSON.parse(text.replaceAll('http://localhost:3000', service.url)) as OpenAPIObject;
  // what is deleted is of no use to those that come after
  const writes = operationsOf(document)
    .filter(({ operation }) => isIdempotent(operation) && !operation['x-once-per-user'])
    .sort((one, other) => Number(one.method === 'delete') - Number(other.method === 'delete'));
  expect(writes.length).toBeGreaterThan(50);
  const wrong = [];
  for (const each of writes) {
    const headers = { 'idempotency-key': randomUUID() };
    await emptyCaches();
    const answer = await carriedOut(service, document, each, headers);
    // the demo's webhook is not served here
    const mayFail = !each.path.startsWith('/12/');
    if (!answer.ok && (!mayFail || answer.status >= 500))
      wrong.push({ id: each.operation.operationId, status: answer.status, text: await answer.text() });
  }
  expect(wrong).toEqual([]);
}, 120_000);

it('are performed in one transaction also on behalf of an application', async () => {
  const { application, api } = await given.integrator();
  const { account } = await given.advertiser({ application });
  const target = await receiver(application.consumer.secret);
  const id = await given.webhook(application, target.url);
  const event = { user_event: { revoke: { date_time: '2026-01-01T00:00:00Z' } } };
  await write(world().get(DataSource).manager, [
    eventWrite({ applicationId: application.id }, event, world().clock.now()),
  ]);
  world().get(DeliveryWorker).wakeUp();
  await target.until(1);

  const call = (method: string, path: string, json?: Json) =>
    send(world().url, `/2/webhooks${path}`, {
      method,
      headers: {
        authorization: `Bearer ${api.token}`,
        'idempotency-key': randomUUID(),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  const [delivery] = (await api.get(`/2/webhooks/${id}/deliveries`)).body.data;
  const answers = [
    await call('POST', `/${id}/subscriptions`, { account_id: account.id }),
    await call('POST', `/${id}/subscriptions`, { account_id: account.id }),
    await call('POST', `/${id}/subscriptions`, {}),
    await call('DELETE', `/${id}/subscriptions?account_id=${account.id}`),
    await call('POST', `/${id}/deliveries/${delivery.id}/resend`),
    await call('DELETE', `/${id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 201, 200, 200, 200]);
});
