import { Example } from '../../common/http/params/dto-metadata.js';
import { Int, Text } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';

/** The default time until a namespace is deleted, in seconds. */
const DEFAULT_TTL_SECONDS = 3_600;
/** The longest time until a namespace is deleted, in seconds. */
const MAX_TTL_SECONDS = 7 * 86_400;

/** A namespace: what it is called, and how long it exists. */
@Example({ name: 'Build 4711', ttl: 7200 })
export class CreateNamespace {
  /** The name of the namespace, of its application and of its accounts. By default, the name contains the id. */
  @Text({ optional: true, visible: true, max: 80, example: 'Build 4711' }) name?: string;

  /** Time until the namespace is deleted, in seconds. */
  @Int({ optional: true, min: 60, max: MAX_TTL_SECONDS, default: DEFAULT_TTL_SECONDS }) ttl = DEFAULT_TTL_SECONDS;
}

/** A new expiry of a namespace. */
@Example({ ttl: 7200 })
export class UpdateNamespace {
  /** Time from now until the namespace is deleted, in seconds. */
  @Int({ min: 60, max: MAX_TTL_SECONDS }) ttl: number;
}

/** A page of namespaces. */
export class ListNamespaces extends TokenQuery {}
