import { groupedBy } from '../../common/values/grouped.js';
import { testedAudienceOf } from '../delivery/test-arms.rules.js';
import { POPULATION } from '../facts/delivery-audience.entity.js';

/** Impressions of one audience. */
export interface ShownTo {
  /** The audience; parts of one in an A/B test have no user in common. */
  audienceId?: string | null;
  /** The number of users of the audience; null if it is unknown, and so everybody. */
  users: number | null;
  impressions: number;
}

/** The number of users who saw something, and the average number of times. */
export interface Reach {
  users: number;
  /** With two decimals. */
  frequency: number;
}

/**
 * The reach of impressions, whose audiences are different. Each impression meets a random user of its audience, and the
 * audiences are independent samples of the population; the arms of an A/B test have no user in common. The reach never exceeds the impressions or the population. It is at
 * least that of each part and at most that of all parts together.
 */
export function reachOf(parts: readonly ShownTo[]): Reach {
  const shown = parts.filter(({ impressions }) => impressions > 0);
  const impressions = shown.reduce((sum, part) => sum + part.impressions, 0);
  if (impressions === 0) return { users: 0, frequency: 0 };
  const population = shown.reduce((max, { users }) => Math.max(max, users ?? 0), POPULATION);
  const tested = groupedBy(shown, (part) => (part.audienceId ? testedAudienceOf(part.audienceId) : part));
  const met = [...tested.values()].reduce((sum, group) => {
    const users = group.reduce((total, part) => total + usersOf(part), 0);
    return union(sum, users, population);
  }, 0);
  // rounded up, so that parts add up to no less than the whole
  const users = Math.min(impressions, Math.ceil(met));
  return { users, frequency: Math.round((impressions * 100) / users) / 100 };
}

/** The expected number of different users who see one of these impressions. */
function usersOf({ users, impressions }: ShownTo): number {
  const audience = Math.max(users ?? POPULATION, 1);
  return -Math.expm1(impressions * Math.log1p(-1 / audience)) * audience;
}

/** The expected number of users in one of two independent samples of a population, or in both. */
const union = (one: number, other: number, population: number): number =>
  Math.min(population, one + other - (one * other) / population);
