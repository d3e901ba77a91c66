import { setImmediate as turn } from 'node:timers/promises';
import { JSON_BOUNDS, measureJson, type JsonBounds, type JsonExcess, type Portions } from './json-bounds.js';

/** Why a text was not taken: it is no JSON, or more of it than is taken. */
export class JsonRefusal extends Error {
  constructor(
    message: string,
    readonly details: string,
  ) {
    super(message);
  }
}

/**
 * What a JSON text says, undefined where it is blank. Its bounds are checked before anything is made of it, and the
 * elements of a long array are parsed a portion at a time, so that other requests have their turn meanwhile.
 */
export async function parseJson(
  bytes: Buffer,
  bounds: JsonBounds = JSON_BOUNDS,
  portions?: Portions,
): Promise<unknown> {
  const measured = measureJson(bytes, bounds, portions);
  if ('bound' in measured) throw refusalOf(measured);
  if (measured.values === 0 && isBlank(bytes)) return undefined;
  const { commas } = measured;
  if (commas.length === 0) return parsed(bytes.toString('utf8'));

  // A list of elements between brackets is an array, and arrays that are not empty make one that is well-formed.
  const elements: unknown[] = [];
  for (let i = 0, from = 0; i <= commas.length; i++) {
    const isLast = i === commas.length;
    const text = `${i > 0 ? '[' : ''}${bytes.toString('utf8', from, isLast ? bytes.length : commas[i])}${isLast ? '' : ']'}`;
    const portion = parsed(text, from) as unknown[];
    if (portion.length === 0) throw malformed('an element is missing', from);
    for (const element of portion) elements.push(element);
    if (isLast) break;
    from = commas[i] + 1;
    await turn();
  }
  return elements;
}

function parsed(text: string, from = 0): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed((error as Error).message, from);
  }
}

const malformed = (why: string, from: number) =>
  new JsonRefusal(
    'The body is not well-formed JSON',
    `${from > 0 ? `from byte ${from} on: ` : ''}${why.slice(0, 200)}`,
  );

function refusalOf({ bound, most }: JsonExcess): JsonRefusal {
  switch (bound) {
    case 'depth':
      return new JsonRefusal(`The body is nested more than ${most} levels deep`, `at most ${most} levels are taken`);
    case 'values':
      return new JsonRefusal(`The body must have at most ${most} values`, `more than ${most} were sent`);
    case 'valuesAtOnce':
      return new JsonRefusal(
        `An element of the body must have at most ${most} values`,
        `one of them has more than ${most}`,
      );
    case 'shapes':
      return new JsonRefusal(
        `The names in the objects of the body must come in at most ${most} different sequences`,
        `more than ${most} were sent`,
      );
  }
}

const isBlank = (bytes: Buffer) => bytes.toString('latin1').trim() === '';
