/** A failed start, as a sentence for operators: the problem and its remedy. */
export class StartFailure extends Error {}
