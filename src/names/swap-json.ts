import { hasWords, swapName, swapText } from './swap.js';
import { ONLY_OURS, SDK_SPELLINGS } from './table.js';

/** The previous and the new value of a field that changed have its words. */
const OF_CHANGE = new Set(['old', 'new']);
const omitted = new Set(ONLY_OURS);
const spellings: Readonly<Record<string, string>> = SDK_SPELLINGS;

/**
 * A value of parsed JSON in the other vocabulary: the names of members at any depth, and the words of enumerations. All
 * other texts stay unchanged. `name`: the parameter or field that has it as a value.
 */
export function swapJson(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return swapText(name, value);
  if (Array.isArray(value)) return value.map((each) => swapJson(each, name));
  if (typeof value !== 'object' || value === null) return value;
  const swapped: Record<string, unknown> = {};
  for (const [key, own] of Object.entries(value)) {
    if (omitted.has(key)) continue;
    set(swapped, swapName(key), swapJson(own, hasWords(name) && OF_CHANGE.has(key) ? name : key));
  }
  return swapped;
}

/** The same for the text of a JSON value. */
export const swapJsonText = (text: string): string => JSON.stringify(swapJson(JSON.parse(text)));

/** The name of a parameter that a request with X's names has, in our vocabulary. X's SDKs misspell some of them. */
export const readName = (sent: string): string => swapName(Object.hasOwn(spellings, sent) ? spellings[sent] : sent);

/**
 * Parameters of a request with X's names, in our vocabulary. A parameter that is sent in both of its spellings has the values of
 * both, as one that is sent twice.
 */
export function readParameters(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(readParameters);
  if (typeof given !== 'object' || given === null) return given;
  const swapped: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = readName(key);
    const read = typeof value === 'object' && !hasWords(name) ? readParameters(value) : swapJson(value, name);
    set(swapped, name, Object.hasOwn(swapped, name) ? [swapped[name], read].flat() : read);
  }
  return swapped;
}

/** As the parser does: `__proto__` is an ordinary name. */
function set(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
