import type { ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import { isForWebsite } from '../../campaigns/spending/website-goals.js';
import { HOUR_MS } from '../../common/time/days.js';
import type { NewEngagement } from '../../measurement/engagements/engagements.service.js';
import type { SimulatedFact } from './delivery.model.js';
import { Draws } from './draw.js';

/** Clicks, and views, of an hour of an account that become engagements of users. */
export const MAX_DRAWN = 100;

/** Something that a line item for a website delivered in an hour. */
interface Delivered {
  item: ServableItem;
  audienceId: string;
  fact: Pick<SimulatedFact, 'placement' | 'promotedId' | 'promotedKind' | 'urlClicks' | 'impressions' | 'engagements'>;
}

/** Collects what an account delivered in an hour, and draws a few of its clicks and views: each is as likely as any other. */
export class EngagementDraws {
  private readonly delivered: Delivered[] = [];

  constructor(private readonly hour: { start: string }) {}

  /** Line items that are not for a website have no conversions to attribute. */
  add(item: ServableItem, audienceId: string, facts: readonly SimulatedFact[]): void {
    if (isForWebsite(item) || item.primaryWebEventTag !== null)
      for (const fact of facts) this.delivered.push({ item, audienceId, fact });
  }

  /** Whether anything was clicked or viewed. */
  get isEmpty(): boolean {
    return this.delivered.length === 0;
  }

  /** The clicks and views, of these users in turn. The same draws give the same ones. */
  of(users: readonly string[], draws: Draws): NewEngagement[] {
    if (users.length === 0) return [];
    const clicks = chosen(this.delivered, ({ fact }) => fact.urlClicks, draws.and('clicks'));
    const views = chosen(this.delivered, ({ fact }) => fact.impressions - fact.engagements, draws.and('views'));
    const start = Date.parse(this.hour.start);
    return [...clicks, ...views].map(({ item, audienceId, fact }, i) => ({
      userId: users[i % users.length],
      at: new Date(start + draws.between(0, HOUR_MS - 1, i)).toISOString(),
      isClick: i < clicks.length,
      ...{ lineItemId: item.id, currency: item.currency, tagId: item.primaryWebEventTag },
      ...{ isForWebsite: isForWebsite(item), audienceId },
      ...{ placement: fact.placement, promotedId: fact.promotedId, promotedKind: fact.promotedKind },
    }));
  }
}

/** Evenly spaced events among all of them, at most MAX_DRAWN, each with what delivered it. */
function chosen<T>(delivered: readonly T[], countOf: (of: T) => number, draws: Draws): T[] {
  const total = delivered.reduce((sum, each) => sum + countOf(each), 0);
  const count = Math.min(total, MAX_DRAWN);
  const first = draws.between(0, 999_999, 'first') / 1_000_000;
  const found: T[] = [];
  let before = 0;
  for (const each of delivered) {
    before += countOf(each);
    while (found.length < count && ((found.length + first) * total) / count < before) found.push(each);
  }
  return found;
}
