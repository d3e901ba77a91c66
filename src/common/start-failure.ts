/** What keeps the service from starting, as a sentence for whoever starts it: what is wrong, and what to do about it. */
export class StartFailure extends Error {}
