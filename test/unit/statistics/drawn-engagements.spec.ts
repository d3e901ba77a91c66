import type { ServableItem } from '../../../src/campaigns/spending/servable-items.statements.js';
import type { SimulatedFact } from '../../../src/statistics/delivery/delivery.model.js';
import { Draws } from '../../../src/statistics/delivery/draw.js';
import { EngagementDraws } from '../../../src/statistics/delivery/drawn-engagements.js';

const HOUR = '2026-11-27T10:00:00.000Z';

it.each([
  ['begins in the hour', '10:50:00', '12:00:00', '10:50:00.000', '10:59:59.999'],
  ['ends in the hour', '09:00:00', '10:05:00', '10:00:00.000', '10:04:59.999'],
  ['covers the hour', '09:00:00', '12:00:00', '10:00:00.000', '10:59:59.999'],
])('clicks and views are in the flight of a line item that %s', (_, start, end, first, last) => {
  const on = (time: string) => `2026-11-27T${time}Z`;
  const item = {
    ...{ id: 'l', currency: 'USD', objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', primaryWebEventTag: 't' },
    ...{ startTime: on(start), endTime: on(end) },
  } as ServableItem;
  const fact = {
    ...{ placement: 'ALL_ON_PLATFORM', promotedId: 'p', promotedKind: 'PROMOTED_POST' },
    ...{ impressions: 5_000, engagements: 1_000, urlClicks: 900, appClicks: 0 },
  } as SimulatedFact;
  const draws = new EngagementDraws({ start: HOUR }, { web: true, app: false });
  draws.add(item, { id: 'a' }, [fact]);
  const times = draws.of(['1', '2', '3'], Draws.of('seed', HOUR)).map(({ at }) => at);
  expect(times.length).toBe(200);
  for (const time of times) expect(time >= on(first) && time <= on(last)).toBe(true);
});
