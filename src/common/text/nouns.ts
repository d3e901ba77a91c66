/** The plural of these nouns is the same word, or they have none. */
const UNCHANGED = /(media|criteria|insights|placements|metadata|access|counts)$/i;

/** The plural of an English noun. */
export function pluralOf(noun: string): string {
  if (UNCHANGED.test(noun)) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The singular of an English noun. */
export function singularOf(noun: string): string {
  if (/(ss|us|a)$/.test(noun)) return noun;
  return noun.replace(/ies$/, 'y').replace(/s$/, '');
}

/** A number of things, such as `1 campaign` or `2 campaigns`. */
export const countOf = (count: number, noun: string): string => `${count} ${count === 1 ? noun : pluralOf(noun)}`;
