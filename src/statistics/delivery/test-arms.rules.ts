import { ALL_USERS } from '../../campaigns/ab-tests/ab-test.entity.js';
import type { TestArm } from '../../campaigns/spending/test-arms.js';
import { Draws } from './draw.js';

/** Whether a user is in an arm: a user has one bucket in each test. */
export function isInArm({ testId, from, to }: TestArm, userId: string): boolean {
  const bucket = Draws.of(testId).between(0, ALL_USERS - 1, userId);
  return from <= bucket && bucket < to;
}

/** The users of an audience in an arm. Arms of one test add up to the audience. */
export const usersInArm = ({ from, to }: TestArm, users: number): number =>
  usersBelow(to, users) - usersBelow(from, users);

const usersBelow = (bucket: number, users: number): number =>
  // the remainder apart, because the product of a large audience is not exact
  Math.floor(users / ALL_USERS) * bucket + Math.floor(((users % ALL_USERS) * bucket) / ALL_USERS);

/** The id of the part of an audience that an arm has: that of the whole audience comes first. */
export const armAudienceId = (audienceId: string, { testId, from, to }: TestArm): string =>
  `${audienceId}.${testId}.${from}-${to}`;

/** The id of an audience in a test, which parts that have no user in common share; the id itself for other audiences. */
export const testedAudienceOf = (audienceId: string): string => audienceId.split('.').slice(0, 2).join('.');
