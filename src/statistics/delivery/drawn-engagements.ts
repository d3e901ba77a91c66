import type { ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import { isForApp, isForWebsite } from '../../campaigns/spending/website-goals.js';
import type { TestArm } from '../../campaigns/spending/test-arms.js';
import { HOUR_MS } from '../../common/time/days.js';
import type { NewEngagement } from '../../measurement/engagements/engagements.service.js';
import { flightBetween } from './deliver-item.js';
import type { SimulatedFact } from './delivery.model.js';
import type { ItemAudience } from './delivery-audiences.service.js';
import { Draws } from './draw.js';
import { isInArm } from './test-arms.rules.js';

/** Clicks, and views, of an hour of an account that become engagements of users. */
export const MAX_DRAWN = 100;

/** Something that a line item for a website or an app delivered in an hour. */
interface Delivered {
  item: ServableItem;
  audience: Pick<ItemAudience, 'id' | 'arm'>;
  fact: Pick<SimulatedFact, 'placement' | 'promotedId' | 'promotedKind' | 'impressions' | 'engagements'>;
  clicks: number;
}

/** The kinds of event tags that an account has. */
export interface EventTags {
  web: boolean;
  app: boolean;
}

/** Collects what an account delivered in an hour, and draws a few of its clicks and views: each is as likely as any other. */
export class EngagementDraws {
  private readonly delivered: Delivered[] = [];

  constructor(
    private readonly hour: { start: string },
    private readonly tags: EventTags,
  ) {}

  /** Line items for what the account does not measure have no conversions to attribute. */
  add(item: ServableItem, audience: Delivered['audience'], facts: readonly SimulatedFact[]): void {
    const onWebsite = this.tags.web && (isForWebsite(item) || item.primaryWebEventTag !== null);
    if (!onWebsite && !(this.tags.app && isForApp(item))) return;
    for (const fact of facts)
      this.delivered.push({ item, audience, fact, clicks: onWebsite ? fact.urlClicks : fact.appClicks });
  }

  /** Whether anything was clicked or viewed. */
  get isEmpty(): boolean {
    return this.delivered.length === 0;
  }

  /**
   * The clicks and views, of these users in turn, or of the next of them in the arm of the A/B test. What an arm without any of
   * them did is left out. The same draws give the same ones.
   */
  of(users: readonly string[], draws: Draws): NewEngagement[] {
    if (users.length === 0) return [];
    const clicked = chosen(this.delivered, ({ clicks }) => clicks, MAX_DRAWN, draws.and('clicks'));
    const viewed = chosen(
      this.delivered,
      ({ fact }) => fact.impressions - fact.engagements,
      MAX_DRAWN,
      draws.and('views'),
    );
    return [...clicked, ...viewed].flatMap(({ item, audience: { id: audienceId, arm }, fact }, i) => {
      const userId = arm ? nextInArm(users, i, arm) : users[i % users.length];
      if (userId === undefined) return [];
      return {
        userId,
        at: new Date(draws.between(...clickTimesOf(item, this.hour), i)).toISOString(),
        isClick: i < clicked.length,
        ...{ lineItemId: item.id, currency: item.currency, tagId: item.primaryWebEventTag },
        ...{ isForWebsite: isForWebsite(item), audienceId },
        ...{ placement: fact.placement, promotedId: fact.promotedId, promotedKind: fact.promotedKind },
      };
    });
  }
}

/** The first and the last millisecond of an hour in which a line item is in flight: nobody clicks on it before or after. */
export function clickTimesOf(
  { startTime, endTime }: Pick<ServableItem, 'startTime' | 'endTime'>,
  hour: { start: string },
): [first: number, last: number] {
  const end = new Date(Date.parse(hour.start) + HOUR_MS).toISOString();
  const [from, to] = flightBetween([hour.start, startTime], [end, endTime]);
  return [from, to - 1];
}

/** The first user in an arm from a place on; undefined if none is. */
const nextInArm = (users: readonly string[], place: number, arm: TestArm): string | undefined =>
  users.map((_, i) => users[(place + i) % users.length]).find((user) => isInArm(arm, user));

/** Evenly spaced events among all of them, at most `max`, each with what delivered it. */
export function chosen<T>(delivered: readonly T[], countOf: (of: T) => number, max: number, draws: Draws): T[] {
  const total = delivered.reduce((sum, each) => sum + countOf(each), 0);
  const count = Math.min(total, max);
  const first = draws.between(0, 999_999, 'first') / 1_000_000;
  const found: T[] = [];
  let before = 0;
  for (const each of delivered) {
    before += countOf(each);
    while (found.length < count && ((found.length + first) * total) / count < before) found.push(each);
  }
  return found;
}
