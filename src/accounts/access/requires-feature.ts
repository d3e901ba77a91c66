import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Feature } from '../accounts.features.js';

const FEATURES = Symbol('features');
const NONE: readonly Feature[] = [];

/**
 * For a controller or a method: accounts without one of these features are answered 400 FEATURE_NOT_AVAILABLE. Where it
 * depends on the parameters the service asks `FeaturesService.has`.
 */
export const RequiresFeature = (...features: [Feature, ...Feature[]]) => SetMetadata(FEATURES, features);

/** The features that the method about to be called requires. */
export function featuresOf(context: ExecutionContext): readonly Feature[] {
  const of = (target: object) => Reflect.getMetadata(FEATURES, target) as Feature[] | undefined;
  const [own, shared] = [of(context.getHandler()), of(context.getClass())];
  return own || shared ? [...(shared ?? []), ...(own ?? [])] : NONE;
}
