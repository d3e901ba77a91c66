const names = new WeakMap<readonly string[], string>();
const taken = new Map<string, string>();

/** A closed set of words, with its name in the document and in generated clients. */
export function closedSet<const Words extends readonly string[]>(name: string, words: Words): Words {
  const known = taken.get(name);
  if (known !== undefined && known !== words.join()) throw new Error(`There are two closed sets called ${name}.`);
  taken.set(name, words.join());
  names.set(words, name);
  return words;
}

/** The name of a closed set; undefined without one. */
export const nameOfSet = (words: readonly string[]): string | undefined => names.get(words);
