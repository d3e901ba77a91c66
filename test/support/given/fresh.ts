let count = 0;

/** A name that nobody in this spec file has. */
export const fresh = (what: string): string => `${what}_${++count}`;
