import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { BodyKind } from '../../common/http/body-parsers.js';
import { unreadKindOf } from '../../common/http/takes-body.js';
import type { QuotaName } from '../../config.js';

/** What it takes on an account to do something. */
export interface Permission {
  readonly name: string;
  /** The roles that may. */
  readonly roles: readonly string[];
}

/** What a controller, or one of its methods, says about who may call it and how often. */
export interface EndpointPolicy {
  /** The permission that reading takes (see accounts/access). */
  reads?: Permission;
  /** The permission that everything else takes. */
  writes?: Permission;
  /** The window that reads count in. */
  quota?: QuotaName;
  /** Exists in the sandbox only. */
  sandboxOnly?: boolean;
  /** Though a POST, it changes nothing: read tokens may call it. */
  notAWrite?: boolean;
  /** What it takes as its body: a form unless said otherwise. Files are said by `@TakesMultipart` and `@TakesStream`. */
  body?: BodyKind;
}

/** The rules of a whole controller: what has a file for its body says so itself. */
export type ControllerPolicy = EndpointPolicy & { body?: 'form' | 'json' };

const RULES = Symbol('rules');
const known = new WeakMap<object, EndpointPolicy>();

/** Attaches rules to a controller or a method; those of the method go before. */
export const Policy = (rules: EndpointPolicy) => SetMetadata(RULES, rules);

/** The rules of a controller's method. */
export const policyFor = (controller: object, handler: object): EndpointPolicy => ({
  ...(Reflect.getMetadata(RULES, controller) as EndpointPolicy | undefined),
  ...(Reflect.getMetadata(RULES, handler) as EndpointPolicy | undefined),
  ...(unreadKindOf(handler) && { body: unreadKindOf(handler) }),
});

/** The rules of the method about to be called; looked up once per method, not per request. */
export function policyOf(context: ExecutionContext): EndpointPolicy {
  const handler = context.getHandler();
  const remembered = known.get(handler);
  if (remembered) return remembered;
  const rules = policyFor(context.getClass(), handler);
  known.set(handler, rules);
  return rules;
}
