import { invalid, unknown, Reading, type RawParams } from './reading.js';
import type { Decision, Fields, ModelAccount, Resource } from './world.js';

/** A new audience has nobody in it. */
export function createAudience(account: ModelAccount, params: RawParams): Decision {
  const read = new Reading(params, false);
  const fields = {
    ...{ name: read.text('name', 255), description: read.optionalText('description', 1_000) },
    ...{ audience_type: 'CRM', audience_size: null, targetable: false, is_owner: true, owner_account_id: account.id },
  };
  requireOwnName(account, read, fields);
  return read.problems.length > 0 ? { problems: read.problems } : { fields };
}

export function updateAudience(account: ModelAccount, id: string, params: RawParams): Decision {
  const audience = account.find('CUSTOM_AUDIENCE', id);
  const read = new Reading(params, true);
  const sent = { name: read.text('name', 255), description: read.optionalText('description', 1_000) };
  // The path is looked up when the request alone is right.
  if (!audience) return { problems: read.problems.length > 0 ? read.problems : [unknown('custom_audience_id')] };
  const changed = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const fields = { ...audience.fields, ...changed };
  requireOwnName(account, read, fields, audience);
  return read.problems.length > 0 ? { problems: read.problems } : { fields, of: audience };
}

/** No two audiences of an account have the same name. */
function requireOwnName(account: ModelAccount, read: Reading, { name }: Fields, self?: Resource): void {
  if (!read.knows('name') || name === undefined) return;
  const others = account.alive('CUSTOM_AUDIENCE').filter((each) => each !== self);
  if (others.some(({ fields }) => fields.name === name)) read.blame(invalid('name'));
}
