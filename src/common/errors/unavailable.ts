/** A required resource is temporarily unavailable: 503 with `retry-after`, in the form of the endpoint's family. */
export class Unavailable extends Error {}

/** The database did not respond, or is temporarily unreachable. */
export class NoAnswer extends Unavailable {}
