const names = new WeakMap<readonly string[], string>();
const taken = new Map<string, string>();

/** A closed set of words, and the name under which the document and the clients made from it know it. */
export function closedSet<const Words extends readonly string[]>(name: string, words: Words): Words {
  const known = taken.get(name);
  if (known !== undefined && known !== words.join()) throw new Error(`There are two closed sets called ${name}.`);
  taken.set(name, words.join());
  names.set(words, name);
  return words;
}

/** The name of a closed set; undefined where it has none. */
export const nameOfSet = (words: readonly string[]): string | undefined => names.get(words);
