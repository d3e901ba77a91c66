import { invalid, missing, unknown, Reading, type Problem, type RawParams } from './reading.js';
import type { Decision, ModelAccount, Planned, Resource } from './world.js';

/** Which of the account's posts leads to a website: a line item for clicks needs it. */
export const LINKED = 0;

/** What promoting these posts does, one for each post in the order of the request. */
export function promotePosts(account: ModelAccount, params: RawParams): Planned[] | { problems: Problem[] } {
  const read = new Reading(params, false);
  const line_item_id = read.id('line_item_id');
  const item = account.find('LINE_ITEM', line_item_id);
  if (line_item_id !== undefined && !item) read.blame(unknown('line_item_id'));
  const sent = params.post_ids === undefined ? undefined : String(params.post_ids);
  if (sent === undefined) read.blame(missing('post_ids'));
  const ids = [...new Set((sent ?? '').split(','))];
  if (sent !== undefined && !ids.every((id) => /^\d+$/.test(id))) read.blame(invalid('post_ids'));
  else if (sent !== undefined)
    for (const id of ids) {
      if (!account.postIds.includes(id)) read.blame(['POST_NOT_FOUND', 'post_ids']);
      else if (item && !suits(item, account.postIds.indexOf(id))) read.blame(invalid('post_ids'));
    }
  if (read.problems.length > 0) return { problems: read.problems };
  const promoted = account.below('PROMOTED_POST', item!);
  return ids.map((post_id) => {
    const of = promoted.find(({ fields }) => fields.post_id === post_id);
    const fields = { line_item_id, post_id, entity_status: 'ACTIVE', approval_status: 'ACCEPTED' };
    return of ? { fields: of.fields, of, exists: true } : { fields };
  });
}

function suits({ fields }: Resource, post: number): boolean {
  if (fields.objective === 'VIDEO_VIEWS') return false;
  return fields.objective !== 'WEBSITE_CLICKS' || post === LINKED;
}

/** What promoting an account does: only that of a promotable user, on a line item for accounts. */
export function promoteAccount(account: ModelAccount, params: RawParams): Decision {
  const read = new Reading(params, false);
  const line_item_id = read.id('line_item_id');
  const user_id = read.decimal('user_id');
  const item = account.find('LINE_ITEM', line_item_id);
  if (line_item_id !== undefined && !item) read.blame(unknown('line_item_id'));
  const of = item && account.below('PROMOTED_ACCOUNT', item).find(({ fields }) => fields.user_id === user_id);
  if (of) return { fields: of.fields, of, exists: true };
  if (item && item.fields.product_type !== 'PROMOTED_ACCOUNT') read.blame(['INCOMPATIBLE_LINE_ITEM', 'line_item_id']);
  if (user_id !== undefined && user_id !== account.fullUserId) read.blame(['INVALID_USER_ID', 'user_id']);
  if (read.problems.length > 0) return { problems: read.problems };
  return { fields: { line_item_id, user_id, entity_status: 'ACTIVE', approval_status: 'ACCEPTED' } };
}

export const TARGETING = {
  BROAD_KEYWORD: { operators: ['EQ', 'NE'], values: ['shoes', 'running shoes', 'trail'] },
  GENDER: { operators: ['EQ'], values: ['1', '2'] },
  AGE: { operators: ['EQ'], values: ['AGE_13_TO_24', 'AGE_OVER_35'] },
} as const;
export type TargetingType = keyof typeof TARGETING;

export function addCriterion(account: ModelAccount, params: RawParams): Decision {
  const read = new Reading(params, false);
  const line_item_id = read.id('line_item_id');
  const item = account.find('LINE_ITEM', line_item_id);
  if (line_item_id !== undefined && !item) read.blame(unknown('line_item_id'));
  const targeting_type = read.word('targeting_type', Object.keys(TARGETING) as TargetingType[]);
  const sent = params.targeting_value;
  if (sent === undefined) read.blame(missing('targeting_value'));
  const targeting_value = typeof sent === 'string' ? sent.trim() : undefined;
  const operator = read.has('operator_type') ? read.word('operator_type', ['EQ', 'NE', 'GTE', 'LT']) : 'EQ';
  if (targeting_type && operator && !(TARGETING[targeting_type].operators as readonly string[]).includes(operator))
    read.blame(invalid('operator_type'));
  if (sent === '' || (targeting_type && sent !== undefined && !isValue(targeting_type, targeting_value)))
    read.blame(invalid('targeting_value'));
  if (read.problems.length > 0 || !item) return { problems: read.problems };

  const siblings = account
    .below('TARGETING_CRITERIA', item)
    .filter(({ fields }) => fields.targeting_type === targeting_type);
  const same = siblings.find(
    ({ fields }) => String(fields.targeting_value).toLowerCase() === targeting_value!.toLowerCase(),
  );
  const fields = { line_item_id, targeting_type, targeting_value, operator_type: operator };
  if (same?.fields.operator_type === operator) return { fields: same!.fields, of: same, exists: true };
  if (same) return { problems: [invalid('targeting_value')] };
  if (targeting_type === 'AGE' && siblings.length > 0) return { problems: [invalid('targeting_type')] };
  return { fields };
}

const isValue = (type: TargetingType, value: string | undefined) =>
  type === 'BROAD_KEYWORD'
    ? value !== undefined && value.length >= 1 && value.length <= 80
    : (TARGETING[type].values as readonly unknown[]).includes(value);
