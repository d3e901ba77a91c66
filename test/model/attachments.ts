import type { Attachment } from './kinds.js';
import type { Plain } from './plain.js';
import { invalid, like, optional, Reading, word, type Problem, type RawParams } from './reading.js';
import type { ModelAccount, Planned, Resource } from './world.js';

/** Which of the account's posts leads to a website: a line item for clicks needs it. */
const LINKED = 0;
/** Ids of posts; sequences choose posts of the account. */
export const POSTS = {
  post_ids: like(/^\d+(,\d+)*$/, ['0', '1', '2', '0,1', '2,0', '0,1,2'], 'x', '9'),
};
const PROMOTED = { entity_status: 'ACTIVE', approval_status: 'ACCEPTED' };

/** What promoting these posts does, one for each post in the order of the request. */
export function promotePosts(account: ModelAccount, params: RawParams): Planned[] | { problems: Problem[] } {
  const read = new Reading(params, false);
  const item = account.readParent(read, 'PROMOTED_POST');
  const { post_ids } = read.all(POSTS);
  const ids = typeof post_ids === 'string' ? [...new Set(post_ids.split(','))] : [];
  for (const id of ids) {
    if (!account.postIds.includes(id)) read.blame(['POST_NOT_FOUND', 'post_ids']);
    else if (item && !suits(item, account.postIds.indexOf(id))) read.blame(invalid('post_ids'));
  }
  if (read.problems.length > 0) return { problems: read.problems };
  const promoted = account.below('PROMOTED_POST', item!);
  return ids.map((post_id) => {
    const of = promoted.find(({ fields }) => fields.post_id === post_id);
    const fields = { line_item_id: item!.id, post_id, ...PROMOTED };
    return of ? { fields: of.fields, of, exists: true } : { fields };
  });
}

function suits({ fields }: Resource, post: number): boolean {
  if (fields.objective === 'VIDEO_VIEWS') return false;
  return fields.objective !== 'WEBSITE_CLICKS' || post === LINKED;
}

const TARGETING: Record<string, { operators: string[]; values: string[] }> = {
  BROAD_KEYWORD: { operators: ['EQ', 'NE'], values: ['shoes', 'running shoes', 'trail'] },
  GENDER: { operators: ['EQ'], values: ['1', '2'] },
  AGE: { operators: ['EQ'], values: ['AGE_13_TO_24', 'AGE_OVER_35'] },
};
const VALUES = Object.values(TARGETING).flatMap(({ values }) => values);
const isValue = (type: string, value: string) =>
  type === 'BROAD_KEYWORD' ? value.length >= 1 && value.length <= 80 : TARGETING[type].values.includes(value);

/** The others of a line item. */
const siblings = (account: ModelAccount, kind: Attachment, line_item_id: unknown) =>
  account.alive(kind).filter(({ fields }) => fields.line_item_id === line_item_id);
type Criterion = Partial<Record<string, string>>;
const isText = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase();

export const ATTACHMENTS: Record<Attachment, Plain> = {
  // only a promotable user, on a line item for accounts
  PROMOTED_ACCOUNT: {
    fixed: { user_id: like(/^\d{1,19}$/, ['OWN'], '1', 'x') },
    added: () => PROMOTED,
    same: (account, { line_item_id, user_id }) =>
      siblings(account, 'PROMOTED_ACCOUNT', line_item_id).find(({ fields }) => fields.user_id === user_id),
    check: (read, { user_id }, { account, above }) => {
      if (above && above.fields.product_type !== 'PROMOTED_ACCOUNT')
        read.blame(['INCOMPATIBLE_LINE_ITEM', 'line_item_id']);
      if (user_id !== undefined && user_id !== account.fullUserId) read.blame(['INVALID_USER_ID', 'user_id']);
    },
  },
  TARGETING_CRITERIA: {
    fixed: {
      targeting_type: word(Object.keys(TARGETING)),
      targeting_value: { ...like(/./, VALUES, 'z'.repeat(81)), read: (raw) => raw.trim() || undefined },
      operator_type: optional(word(['EQ', 'NE', 'GTE', 'LT'], ['EQ', 'EQ', 'NE']), 'EQ'),
    },
    same: (account, { line_item_id, targeting_type: type, targeting_value: value, operator_type: operator }) =>
      siblings(account, 'TARGETING_CRITERIA', line_item_id).find(
        ({ fields: own }) =>
          own.targeting_type === type && isText(own.targeting_value, value) && own.operator_type === operator,
      ),
    check: (read, { line_item_id, ...fields }, { account }) => {
      const { targeting_type: type, targeting_value: value, operator_type: operator } = fields as Criterion;
      if (type && operator && !TARGETING[type].operators.includes(operator)) read.blame(invalid('operator_type'));
      if (type && value && !isValue(type, value)) read.blame(invalid('targeting_value'));
      if (read.problems.length > 0) return;
      const others = siblings(account, 'TARGETING_CRITERIA', line_item_id).filter(
        ({ fields: own }) => own.targeting_type === type,
      );
      if (others.some(({ fields: own }) => isText(own.targeting_value, value))) read.blame(invalid('targeting_value'));
      else if (type === 'AGE' && others.length > 0) read.blame(invalid('targeting_type'));
    },
  },
};
