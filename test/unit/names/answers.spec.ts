import { schemaOf } from '../../../src/common/http/answers/responses.js';
import { AnswerAtX, compileInBothVocabularies, translatorOf } from '../../../src/names/answer-at-x.js';
import { PromotedPostView } from '../../../src/campaigns/promoted-posts/promoted-post.presenter.js';
import { LineItemView } from '../../../src/campaigns/line-items/line-item.presenter.js';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { AccountHistoryView } from '../../../src/accounts/change-log/account-history.presenter.js';
import { PostView } from '../../../src/creatives/posts/post.presenter.js';
import { swapJsonText } from '../../../src/names/swap-json.js';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  type?: unknown;
}

const listOf = (view: new () => object) => ({
  type: 'object',
  properties: {
    request: { type: 'object', properties: { params: { type: 'object', additionalProperties: true } } },
    data: { type: 'array', items: schemaOf(view) },
  },
});

/** A value of a schema; texts contain what looks like keys and words. */
function valueOf({ type, properties, items }: Schema, name = ''): unknown {
  if (name === 'placements') return ['ALL_ON_PLATFORM', 'TAP_FULL'];
  if (name === 'product_type') return 'PROMOTED_POSTS';
  if (name === 'entity') return 'PROMOTED_POST';
  if (type === 'array') return items ? [valueOf(items, name)] : [];
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, own]) => [key, valueOf(own, key)]));
  if (type === 'object')
    return { placements: { old: ['ALL_ON_PLATFORM'], new: null }, name: 'PROMOTED_POSTS', post_id: '1' };
  if (type === 'number') return 7;
  if (type === 'boolean') return true;
  return name === 'name' || name === 'full_text' ? ',"post_id":"PROMOTED_POSTS"' : 'PROMOTED_POSTS';
}

describe.each([
  ['line items', LineItemView],
  ['promoted posts', PromotedPostView],
  ['posts', PostView],
  ['the history', AccountHistoryView],
  ['campaigns', CampaignView],
])('an answer with %s', (_, view) => {
  const schema = listOf(view);
  const answer = (count: number) => ({
    request: { params: { post_ids: ['post_id'], placements: ['ALL_ON_PLATFORM'], q: 'POST_IMAGE' } },
    data: Array.from({ length: count }, () => valueOf(schemaOf(view) as Schema)),
  });

  it.each([1, 30])('with the names of X is that with ours, translated (%i items)', (count) => {
    const serialize = compileInBothVocabularies(schema);
    const ours = serialize(answer(count)).toString();
    const theirs = serialize(new AnswerAtX(answer(count))).toString();
    expect(theirs).toBe(swapJsonText(ours));
    expect(JSON.parse(theirs).request.params).toEqual({
      tweet_ids: ['post_id'],
      placements: ['ALL_ON_TWITTER'],
      q: 'POST_IMAGE',
    });
  });

  it('is not changed where it came from, which others may share', () => {
    const before = answer(2);
    translatorOf(schema)?.(before);
    expect(before).toEqual(answer(2));
  });
});

it('an answer whose fields are the same in both vocabularies costs nothing', () => {
  const schema = { type: 'object', properties: { data: { type: 'array', items: schemaOf(CampaignView) } } };
  expect(translatorOf(schema)).toBeUndefined();
});

it('an answer without a serializer is translated, too', () => {
  expect(JSON.stringify(new AnswerAtX({ post_id: new Date(0), skipped: undefined }))).toBe(
    '{"tweet_id":"1970-01-01T00:00:00.000Z"}',
  );
});
