/** Another API's names for what this service has. */
export interface Synonyms {
  /** The name here; other words unchanged. For hints only: it does not check what the name stands for. */
  nameHere(word: string): string;
  /** A sentence about one of its words, with a space before it; empty for other words. */
  about(word: unknown): string;
  /** The hint for a path that only it has; undefined for other paths. */
  onlyThere(path: string): string | undefined;
}

let synonyms: Synonyms = { nameHere: (word) => word, about: () => '', onlyThere: () => undefined };

/** Has the hints of this process know the names of another API. */
export function useSynonyms(known: Synonyms): void {
  synonyms = known;
}

export const serviceName = (word: string): string => synonyms.nameHere(word);
export const synonymHint = (word: unknown): string => synonyms.about(word);
export const foreignPathHint = (path: string): string | undefined => synonyms.onlyThere(path);
