/** What programs write for a variable without a value. */
const EMPTY = /^(none|null|nil|undefined|nan|\[object object\]|true|false)$/i;
/** A name to be replaced, in the notations of documentation and of shells. */
const NAME = /^(\.{3}|…|:\w+|\{[^}]*\}|<[^>]*>|\[\w+\]|\$\{?\w+\}?|%\w+%?|your[\w-]*|[a-z_]*_id)$/i;
/** Another advertising platform writes ids of accounts like this. */
const OF_ANOTHER = /^act_\w+$/i;

/** Kinds of cards that X's Ads API had before cards were made of components; they stood in the path like an id. */
export const RETIRED_CARDS: ReadonlySet<string> = new Set([
  'app_download',
  'carousel',
  'image_app_download',
  'image_carousel',
  'image_direct_message',
  'lead_gen',
  'video_app_download',
  'video_direct_message',
  'video_website',
  'website',
]);

/** Whether a text in the place of an id is not meant as one. */
export const isPlaceholder = (id: string): boolean => EMPTY.test(id) || NAME.test(id) || OF_ANOTHER.test(id);

/** Says what a text in the place of an id is; undefined for what could be an id. */
export function placeholderHint(parameter: string, id: string): string | undefined {
  const sent = `${parameter} is ${JSON.stringify(id.slice(0, 100))}`;
  if (EMPTY.test(id)) return `${sent}: the program that sent it had no value for ${parameter}.`;
  if (NAME.test(id)) return `${sent}, a placeholder: put an id in its place. The lists of the API return ids.`;
  if (OF_ANOTHER.test(id))
    return `${sent}, the form of another advertising platform. Ids here have letters and digits only, such as 18ce54d4x5t.`;
  if (parameter === 'card_id' && RETIRED_CARDS.has(id))
    return `${sent}, a kind of card that X no longer has: cards are made of components. GET /12/accounts/:account_id/cards lists them.`;
  return undefined;
}
