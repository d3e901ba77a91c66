/** Something that knows its time: that of the service, unless a test clock freezes it. */
export interface TimeSource {
  now(): Date;
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
