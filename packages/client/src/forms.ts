import { encodedPairs, type Pair } from './signing.js';

/** The parameters of a query or a form: lists are separated by commas, null is empty, and undefined is not sent. */
export const pairsOf = (params: object): Pair[] =>
  Object.entries(params).flatMap(([name, value]): Pair[] => (value === undefined ? [] : [[name, String(value ?? '')]]));

/** Serializes a query or a form. */
export const formOf = (params: object): string => encodedPairs(pairsOf(params));
