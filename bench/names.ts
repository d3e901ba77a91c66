import { cases, creativeCases, type Case } from './cases.js';
import { swapPath } from '../src/names/swap.js';
import type { World } from './world.js';

/** Reads whose responses have the same fields in both vocabularies, a few that differ in each item, and many. */
export function readCases(world: World, campaigns: number): Case[] {
  const [getOne, list] = cases(world, campaigns);
  const posts = creativeCases(world).find(({ name }) => name === 'posts list of 200')!;
  const [{ id }] = world.written;
  const lineItems: Case = {
    name: 'line items list of 200',
    requests: [{ method: 'GET', target: `/12/accounts/${id}/line_items?count=200` }],
  };
  return [getOne, list, lineItems, posts];
}

/** The same case for a service with the names of X. */
export const caseAtX = ({ name, requests }: Case): Case => ({
  name,
  requests: requests.map((each) => ({
    ...each,
    target: swapPath(each.target).replace('post_type=', 'tweet_type='),
  })),
});
