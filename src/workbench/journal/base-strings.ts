import { MASK } from '../../auth/masking.js';
import { CUT } from './captured-request.js';

/** The first place where two base strings differ, with what each of them has there. */
export interface BaseStringDifference {
  /** In characters of the base string of the client, from 0. */
  at: number;
  /** What both begin with, the end of it. */
  before: string;
  ours: string;
  yours: string;
}

/** Number of characters around the difference. */
const CONTEXT = 40;

/**
 * The first difference between a client's base string and ours; undefined if they are equal. Masked parts of ours match any value.
 * Where ours is cut, nothing after it is compared.
 */
export function firstDifference(ours: string, yours: string): BaseStringDifference | undefined {
  let [i, j] = [0, 0];
  while (i < ours.length || j < yours.length) {
    if (ours.startsWith(MASK, i)) {
      i += MASK.length;
      const end = yours.slice(j).search(/%26|&/);
      j = end < 0 ? yours.length : j + end;
      continue;
    }
    if (ours[i] !== yours[j] && ours.slice(i) === CUT) return undefined;
    if (ours[i] !== yours[j])
      return {
        at: j,
        before: yours.slice(Math.max(0, j - CONTEXT), j),
        ours: ours.slice(i, i + CONTEXT),
        yours: yours.slice(j, j + CONTEXT),
      };
    i++;
    j++;
  }
  return undefined;
}
