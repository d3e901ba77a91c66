import { HOUR_MS, MINUTE_MS } from '../../../src/common/time/days.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { Webhook } from '../../../src/webhooks/entities/webhook.entity.js';
import type { WebhookDeliveryState } from '../../../src/webhooks/entities/webhook-delivery.entity.js';
import { beginOf, healthOf, SPANS, stripOf } from '../../../src/workbench/webhooks/webhooks-page.presenter.js';

const NOW = Date.parse('2026-11-28T10:30:20Z');
const [LAST_HOUR] = SPANS;
const minutesAgo = (minutes: number) => new Date(Math.floor(NOW / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS);

function healthAfter(
  counts: Partial<Record<WebhookDeliveryState, number>>,
  webhook: Partial<Row<Webhook>> = {},
  latencies: readonly number[] = [],
) {
  const all = Object.entries(counts) as [WebhookDeliveryState, number][];
  const rows = all.map(([state, count], i) => ({ webhookId: 'w', at: minutesAgo(i).toISOString(), state, count }));
  const shown = { valid: true, failingSince: null, ...webhook } as Row<Webhook>;
  return healthOf(shown, stripOf(rows, LAST_HOUR, NOW), latencies);
}

describe('the health of a webhook', () => {
  it('counts a cancelled delivery as failed, and one that waits as neither', () => {
    expect(healthAfter({ DELIVERED: 6, FAILED: 1, CANCELLED: 1, PENDING: 9 })).toMatchObject({
      word: 'some events failed',
      tone: 'bad',
      share: '75 %',
    });
    expect(healthAfter({ CANCELLED: 2 })).toMatchObject({ word: 'some events failed', share: '0 %' });
    expect(healthAfter({ DELIVERED: 3, PENDING: 1 })).toMatchObject({ word: 'healthy', tone: 'good', share: '100 %' });
    expect(healthAfter({})).toMatchObject({ word: 'healthy', share: undefined, median: undefined });
  });

  it('says first that it is invalid, then that it is failing', () => {
    const failingSince = '2026-11-28 10:00:00+00';
    expect(healthAfter({ FAILED: 1 }, { valid: false, failingSince })).toMatchObject({ word: 'invalid', tone: 'bad' });
    expect(healthAfter({ FAILED: 1 }, { failingSince })).toMatchObject({ word: 'failing', tone: 'bad' });
  });

  it('has the upper median of the times of responses', () => {
    expect(healthAfter({}, {}, [30, 10, 100]).median).toBe(30);
    expect(healthAfter({}, {}, [30, 10, 100, 20]).median).toBe(30);
  });
});

it('a strip has a bar for each minute with deliveries, with a part for each state', () => {
  const row = (minutes: number, state: WebhookDeliveryState, count: number) => ({
    ...{ webhookId: 'w', at: minutesAgo(minutes).toISOString(), state, count },
  });
  const { bars, highest, total } = stripOf(
    [row(0, 'DELIVERED', 3), row(0, 'FAILED', 1), row(6, 'DELIVERED', 2)],
    LAST_HOUR,
    NOW,
  );
  expect([highest, total]).toEqual([4, 6]);
  expect(bars.map(({ title, parts }) => [title, parts.map(({ state, height }) => `${state} ${height}`)])).toEqual([
    ['10:24 UTC: 2 delivered', ['delivered 50%']],
    ['10:30 UTC: 3 delivered, 1 failed', ['delivered 75%', 'failed 25%']],
  ]);
});

it('a strip begins with whole minutes or hours, and its last bar is the current one', () => {
  const begins = SPANS.map((span) => new Date(beginOf(span, NOW)).toISOString());
  expect(begins).toEqual(['2026-11-28T09:31:00.000Z', '2026-11-27T11:00:00.000Z']);
  expect(SPANS.map(({ ms }) => ms)).toEqual([MINUTE_MS, HOUR_MS]);
});
