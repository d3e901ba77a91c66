import { withMentionsRenamed } from '../../../src/creatives/posts/post-mentions.rules.js';
import { entitiesOf } from '../../../src/creatives/composition/post-text.rules.js';

const users = [
  { id: '17', username: 'ann', name: 'Ann' },
  { id: '18', username: 'bob', name: 'Bob' },
];
const renamed = (text: string) => withMentionsRenamed({ text, entities: entitiesOf(text, users) }, '17', 'deleted_17');
/** What the entities of a text are marked as, by their places. */
const marked = (text: string) => {
  const { text: now, entities } = renamed(text);
  const at = ({ indices }: { indices: [number, number] }) => [...now].slice(...indices).join('');
  return {
    now,
    tags: entities.hashtags.map(at),
    mentions: entities.user_mentions.map(at),
    urls: entities.urls.map(at),
  };
};

describe('mentions of a user', () => {
  it.each(['@ann hello', 'so @ANN, @bob and @ann: #hi https://example.com', '👍 @ann 👍 #ok @bob'])(
    'are renamed, and all else is where it stands: %s',
    (text) => {
      const expected = text.replace(/@ann/gi, '@deleted_17');
      const { now, tags, mentions, urls } = marked(text);
      expect(now).toBe(expected);
      expect(mentions).toEqual(expected.match(/@\w+/g));
      expect(tags).toEqual(expected.match(/#\w+/g) ?? []);
      expect(urls).toEqual(expected.match(/https:\S+/g) ?? []);
    },
  );

  it('say nothing of who they were', () => {
    const [mention] = renamed('@ann').entities.user_mentions;
    expect(mention).toEqual({ id: 17, id_str: '17', screen_name: 'deleted_17', name: '', indices: [0, 11] });
  });

  it('are the same when they are renamed again', () => {
    const once = renamed('@ann and @bob #x');
    expect(withMentionsRenamed(once, '17', 'deleted_17')).toEqual(once);
  });

  it('of others stay as they are', () => {
    const text = '@bob #x';
    expect(renamed(text)).toEqual({ text, entities: entitiesOf(text, users) });
  });
});
