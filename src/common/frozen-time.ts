/** Something that has its own time while a test clock freezes it. Otherwise it follows the service. */
export interface Timed {
  /** ISO 8601; null or absent without a test clock. */
  frozenTime?: string | null;
}

/**
 * The time of a test clock. It also has the time of the service: ids take that one, because all rows share their order
 * and their partitions.
 */
export class FrozenTime extends Date {
  constructor(
    at: string,
    readonly serviceTime: Date,
  ) {
    super(at);
  }
}

/** The time of the service when this time was read. */
export const serviceTimeOf = (at: Date): Date => (at instanceof FrozenTime ? at.serviceTime : at);
