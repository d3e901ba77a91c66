import type { Indices, MentionEntity, TextEntities } from '../composition/post-text.rules.js';

/** A text and its entities. */
export interface MarkedText {
  text: string;
  entities: TextEntities;
}

/** Replaces the username in every mention of a user. Later entities move, and the mentions remain mentions. */
export function withMentionsRenamed({ text, entities }: MarkedText, userId: string, username: string): MarkedText {
  const characters = [...text];
  let renamed = entities;
  const starts = entities.user_mentions.filter((mention) => mention.id_str === userId).map(({ indices }) => indices[0]);
  // from the end, so that the positions of earlier mentions stay valid
  for (const start of starts.toSorted((a, b) => b - a)) {
    const end = renamed.user_mentions.find(({ indices }) => indices[0] === start)!.indices[1];
    const mention = [characters[start], ...username];
    characters.splice(start, end - start, ...mention);
    renamed = moved(renamed, end, start + mention.length - end);
    renamed.user_mentions = renamed.user_mentions.map((each) =>
      each.indices[0] === start ? renamedMention(each, username, start + mention.length) : each,
    );
  }
  return { text: characters.join(''), entities: renamed };
}

const renamedMention = (mention: MentionEntity, username: string, end: number): MentionEntity => ({
  ...mention,
  screen_name: username,
  name: '',
  indices: [mention.indices[0], end],
});

/** Moves the entities that begin at `from` or later by `by` code points. */
function moved({ hashtags, symbols, user_mentions, urls }: TextEntities, from: number, by: number): TextEntities {
  const all = <T extends { indices: Indices }>(entities: T[]): T[] =>
    entities.map((entity) => {
      const [start, end] = entity.indices;
      return start < from ? entity : { ...entity, indices: [start + by, end + by] };
    });
  return { hashtags: all(hashtags), symbols: all(symbols), user_mentions: all(user_mentions), urls: all(urls) };
}
