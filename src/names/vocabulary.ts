import { VOCABULARIES, type Config } from '../config/config.js';

/** A vocabulary of paths, parameters, fields and words: that of this service, or that of X's documentation. */
export type Vocabulary = Config['names'];

/** The request header that chooses the vocabulary of a request and its response. */
export const NAMES_HEADER = 'x-marquee-names';

/** The vocabulary that a request chooses; undefined for an unknown one. */
export const chosenVocabulary = (
  given: string | string[] | undefined,
  byDefault: Vocabulary,
): Vocabulary | undefined => (given === undefined ? byDefault : VOCABULARIES.find((each) => each === given));
