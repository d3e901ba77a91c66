import { CommandRefusal } from './refusal.js';

const MAX_DEPTH = 100;
const MAX_VALUES = 1_000_000;

/**
 * The value, unless it is too large to be worked on; `subject` begins the refusal. A small file can have such a value: lists in
 * lists, and in YAML references to what is above or to lists of references.
 */
export function bounded(value: unknown, subject: string): unknown {
  const excess = excessOf(value);
  if (excess !== undefined) throw new CommandRefusal(`${subject} ${excess}`);
  return value;
}

function excessOf(value: unknown): string | undefined {
  let values = 0;
  const walk = (each: unknown, depth: number): string | undefined => {
    if (++values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    if (typeof each !== 'object' || each === null) return undefined;
    if (depth === MAX_DEPTH) return `nests more than ${MAX_DEPTH} objects and lists`;
    for (const inner of Object.values(each)) {
      const excess = walk(inner, depth + 1);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return walk(value, 0);
}
