import { isDeepStrictEqual } from 'node:util';
import type { ContentProblem } from '../../common/entity/content-problem.js';
import { isObject } from '../../common/values/is-object.js';
import { Field } from '../../common/http/params/fields.js';
import { readParams } from '../../common/http/params/params.js';
import { nested } from '../../common/http/params/parts.js';
import { normalised, type GivenSegment } from '../entities/segments.js';
import { segments } from './segments.parts.js';

class Segments {
  @Field(nested(segments)) segments: GivenSegment;
}

/** Why `segments` is not what the API stores in an audience; undefined if it is. */
export function segmentsProblem(isFlexible: boolean, stored: unknown): ContentProblem | undefined {
  const wrong = (message: string, value?: unknown) => ({ column: 'segments', message, value });
  if (!isFlexible) return stored == null ? undefined : wrong('only a FLEXIBLE audience has segments');
  if (!isObject(stored)) return wrong('a FLEXIBLE audience has segments', stored);
  const { params, refused } = readParams(Segments, { segments: stored });
  if (refused) return wrong(refused.errors[0].message, refused.errors[0].detail.value);
  const expected = normalised(params.segments);
  return isDeepStrictEqual(expected, stored)
    ? undefined
    : wrong(`Expected ${JSON.stringify(expected)}, got ${JSON.stringify(stored)}`);
}
