const PLURAL_VERBS = new Set(['list', 'add', 'remove']);

/**
 * A name for an operation that generated clients can live with: `listCampaigns`, `getCampaign`, `batchCampaigns`. A handler
 * whose own name says more than a verb, such as `requestToken`, keeps it.
 */
export function operationIdOf(controller: string, method: string): string {
  // With several paths, each is numbered.
  const handler = method.replace(/\[\d+\]$/, '');
  if (/[A-Z]/.test(handler)) return handler;
  const noun = controller.replace(/Controller$/, '').replace(/^Sandbox/, '');
  if (noun.endsWith('Batch')) return `batch${plural(noun.slice(0, -'Batch'.length))}`;
  const things = noun.replace(/Self$/, '');
  return `${handler}${PLURAL_VERBS.has(handler) ? things : singular(things)}`;
}

/** `Access`, `Media` and `Criteria` have no `s` to lose. */
function singular(noun: string): string {
  if (/(ss|us|a)$/.test(noun)) return noun;
  return noun.replace(/ies$/, 'y').replace(/s$/, '');
}

function plural(noun: string): string {
  if (/(s|a)$/.test(noun)) return noun;
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
