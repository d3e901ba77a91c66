import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Feature } from '../accounts.features.js';

const FEATURES = Symbol('features');
const NONE: readonly Feature[] = [];

/**
 * Decorates a controller or a method. Accounts without any of these features receive 400 FEATURE_NOT_AVAILABLE. If the
 * requirement depends on parameters, the service calls `FeaturesService.has` instead.
 */
export const RequiresFeature = (...features: [Feature, ...Feature[]]) => SetMetadata(FEATURES, features);

/** The features that the called method requires. */
export function featuresOf(context: ExecutionContext): readonly Feature[] {
  const of = (target: object) => Reflect.getMetadata(FEATURES, target) as Feature[] | undefined;
  const [own, shared] = [of(context.getHandler()), of(context.getClass())];
  return own || shared ? [...(shared ?? []), ...(own ?? [])] : NONE;
}
