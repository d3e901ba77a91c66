import { ApiError } from '../../common/errors/api-error.js';
import type { TargetingType } from './targeting-types.js';
import { VALUES } from './targeting-values.rules.js';

/** The display name of a targeting value, as criteria have it; undefined for unknown values and those that are ids of rows. */
export function nameOfValue(type: TargetingType, value: string): string | undefined {
  const resolved = VALUES[type]?.(value);
  return resolved === undefined || resolved instanceof ApiError ? undefined : resolved.name;
}
