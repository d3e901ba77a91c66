import { hash } from 'node:crypto';

/** Values that clients know already: they were there before ours. */
const KNOWN = new Map([
  ['country US', '96683cc9126741d1'],
  ['metro San Francisco-Oakland-San Jose CA', '5122804691e5fecc'],
  ['city 5368361', '3b77caf94bfc81fe'],
]);

/** The targeting value of a place: 16 hexadecimal digits that its kind and code make, and so the same everywhere, for good. */
export const locationValue = (place: string): string => KNOWN.get(place) ?? hash('sha256', place).slice(0, 16);
