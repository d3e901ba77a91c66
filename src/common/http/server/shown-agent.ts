import { LRUCache } from 'lru-cache';

/** The longest beginning of a `user-agent` in the log. */
const MAX_AGENT_LENGTH = 200;
const shownAgents = new LRUCache<string, string>({ max: 1_000 });

/** A `user-agent` in printable characters, without what may be a secret. */
export function shownAgent(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const known = shownAgents.get(given);
  if (known !== undefined) return known;
  const shown = given
    .slice(0, MAX_AGENT_LENGTH)
    .replace(/[^ -~]/g, '?')
    .replace(/[\w-]{20,}/g, '***');
  if (given.length <= MAX_AGENT_LENGTH) shownAgents.set(given, shown);
  return shown;
}
