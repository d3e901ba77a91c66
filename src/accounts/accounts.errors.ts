import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({ FEATURE_NOT_AVAILABLE: 400 });

export const featureNotAvailable = (key: string, parameter?: string) =>
  error('FEATURE_NOT_AVAILABLE', `The feature ${key} is not available for this account`, { parameter });
