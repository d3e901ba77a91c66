import { pluralOf, singularOf } from '../../text/nouns.js';

const PLURAL_VERBS = new Set(['list', 'add', 'remove']);

/**
 * The operation id for generated clients: `listCampaigns`, `getCampaign`, `batchCampaigns`. A handler name that says
 * more than a verb, such as `requestToken`, stays.
 */
export function operationIdOf(controller: string, method: string): string {
  // A handler with several paths has a numbered id for each.
  const handler = method.replace(/\[\d+\]$/, '');
  if (/[A-Z]/.test(handler)) return handler;
  const noun = controller.replace(/Controller$/, '').replace(/^Sandbox/, '');
  if (noun.endsWith('Batch')) return `batch${pluralOf(noun.slice(0, -'Batch'.length))}`;
  const things = noun.replace(/Self$/, '');
  return `${handler}${PLURAL_VERBS.has(handler) ? things : singularOf(things)}`;
}
