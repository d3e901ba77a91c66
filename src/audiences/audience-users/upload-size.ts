import type { BatchSize } from '../../common/batch/takes-batch.js';

export const MAX_OPERATIONS = 2_500;
/** A person with one hash takes 80 bytes and three values. One operation may contain all of them. */
export const UPLOAD_SIZE: BatchSize = {
  bodyLimit: 5_000_000,
  jsonBounds: { depth: 10, values: 250_000, shapes: 5_000, valuesAtOnce: 250_000 },
};
