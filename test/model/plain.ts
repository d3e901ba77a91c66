/** Resources whose fields hardly depend on others. */
import { KINDS, type PlainKind } from './kinds.js';
import { invalid, missing, unknown, wire, Reading, type Problem, type RawParams } from './reading.js';
import type { Acting, Decision, Fields, ModelAccount, Resource } from './world.js';

/** Who asks for it where, and when. */
type Circumstances = Acting & { now: number };

interface Plain {
  /** What only a new one takes. */
  fixed?: (read: Reading) => Fields;
  /** What each request may say. */
  said?: (read: Reading) => Fields;
  /** What the service adds to a new one. */
  added?: (account: ModelAccount) => Fields;
  /** What is wrong with the fields together, or beside others of the account; `old`: what is changed. */
  check?: (read: Reading, fields: Fields, circumstances: Circumstances, old?: Resource) => void;
  /** Why it cannot change any more. */
  locked?: (fields: Fields, now: number) => Problem | false;
  /** Whether an update must fit what is stored: an unknown id is named beside other mistakes. */
  fits?: true;
  /** What is shown besides. */
  shown?: (resource: Resource) => Fields;
}

const CHOICES = ['first_choice', 'second_choice', 'third_choice', 'fourth_choice'];
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
export const EVENTS = ['PURCHASE', 'SITE_VISIT', 'CUSTOM'] as const;

const PLAIN: Record<PlainKind, Plain> = {
  CUSTOM_AUDIENCE: {
    said: (read) => ({ name: read.text('name', 255), description: read.optionalText('description', 1_000) }),
    // nobody is in a new one
    added: ({ id }) => ({
      ...{ audience_type: 'CRM', audience_size: null, targetable: false, is_owner: true, owner_account_id: id },
    }),
    check: (read, { name }, { account }, old) => {
      const others = account.alive('CUSTOM_AUDIENCE').filter((each) => each !== old);
      if (read.knows('name') && others.some(({ fields }) => fields.name === name)) read.blame(invalid('name'));
    },
  },
  WEB_EVENT_TAG: {
    fits: true,
    said: (read) => ({
      name: read.text('name', 255),
      type: read.word('type', EVENTS),
      click_window: read.number('click_window', (days) => [1, 7, 14, 30].includes(days)),
      view_through_window: read.number('view_through_window', (days) => [0, 1, 7, 14, 30].includes(days)),
      retargeting_enabled: read.requiredFlag('retargeting_enabled'),
    }),
    added: ({ id }) => ({ website_tag_id: [...id].reverse().join(''), status: 'UNVERIFIED', last_tracked_at: null }),
    check: (read, { click_window: clicks, view_through_window: views }) => {
      if (read.knows('click_window', 'view_through_window') && Number(views) > Number(clicks))
        read.blame(invalid('view_through_window'));
    },
  },
  CARD: {
    fixed: (read) => ({
      name: read.text('name', 80),
      duration_in_minutes: String(read.number('duration_in_minutes', (minutes) => minutes >= 5 && minutes <= 10_080)),
      first_choice: read.text('first_choice', 25),
      second_choice: read.text('second_choice', 25),
      third_choice: read.optionalText('third_choice', 25) ?? undefined,
      fourth_choice: read.optionalText('fourth_choice', 25) ?? undefined,
      card_type: 'TEXT_POLLS',
    }),
    check: (read, fields) => {
      if (read.knows('third_choice') && fields.fourth_choice && !fields.third_choice)
        read.blame(missing('third_choice'));
      if (!read.knows(...CHOICES)) return;
      const choices = CHOICES.filter((name) => fields[name] !== undefined);
      const again = choices.find((name, at) => choices.slice(0, at).some((other) => fields[other] === fields[name]));
      if (again) read.blame(invalid(again));
    },
    shown: ({ id, created_at, fields }) => ({
      ...{ card_id: id, card_uri: `card://${id}`, start_time: created_at },
      end_time: wire(Date.parse(created_at) + Number(fields.duration_in_minutes) * 60_000),
    }),
  },
  DRAFT_POST: {
    fits: true,
    fixed: (read) => ({ user_id: read.decimal('as_user_id') }),
    said: composition,
    added: () => ({ media_keys: [] }),
    check: checkComposition,
    shown: ({ deleted }) => ({ status: deleted ? 'DELETED' : undefined }),
  },
  SCHEDULED_POST: {
    fits: true,
    fixed: (read) => ({ user_id: read.decimal('as_user_id') }),
    said: (read) => {
      const at = read.time('scheduled_at');
      return { ...composition(read), scheduled_at: at === undefined ? at : wire(Math.floor(at / MINUTE) * MINUTE) };
    },
    added: () => ({
      ...{ media_keys: [], scheduled_status: 'SCHEDULED', completed_at: null, post_id: null, failure_reason: null },
    }),
    locked: (fields, now) =>
      (fields.scheduled_status !== 'SCHEDULED' || isDue(fields, now)) && ['ACTION_NOT_ALLOWED', 'scheduled_post_id'],
    check: (read, fields, circumstances, old) => {
      checkComposition(read, fields, circumstances, old);
      const at = fields.scheduled_at as string | undefined;
      if (at === undefined || at === old?.fields.scheduled_at) return;
      const ahead = Date.parse(at) - circumstances.now;
      if (ahead <= 0 || ahead > 365 * DAY) read.blame(['INVALID_TIME_WINDOW', 'scheduled_at']);
    },
    shown: ({ deleted, fields }) => ({ scheduled_status: deleted ? 'DELETED' : fields.scheduled_status }),
  },
};

/** What is said in a post, and to whom. */
function composition(read: Reading): Fields {
  const [text, nullcast] = [read.optionalText('text', 2_000), read.flag('nullcast')];
  return {
    text: text === null ? '' : text?.trim(),
    card_uri: read.optional('card_uri', (raw) => (/^card:\/\/\d+$/.test(raw) ? raw : undefined)),
    nullcast: nullcast === null ? true : nullcast,
    name: read.optionalText('name', 80),
  };
}

/** Only the author posts in their own timeline; others compose in the author's name. What stays as it was is not judged. */
function checkComposition(read: Reading, fields: Fields, { account, caller }: Circumstances, old?: Resource): void {
  const isNew = (name: string) => fields[name] !== old?.fields[name];
  if (!['text', 'card_uri', 'nullcast', 'scheduled_at'].some(isNew)) return;
  const isOwn = fields.user_id === account.fullUserId;
  if (fields.user_id !== undefined && !isOwn) read.blame(['ACTION_NOT_ALLOWED', 'as_user_id']);
  if (isOwn && fields.nullcast === false && caller.userId !== account.fullUserId) read.blame(invalid('nullcast'));
  if (String(fields.text).length > 280 && read.knows('text')) read.blame(invalid('text'));
  if (fields.text === '') read.blame(read.has('text') ? ['POST_CANNOT_BE_BLANK', 'text'] : missing('text'));
  if (isNew('card_uri') && !hasCard(account, fields.card_uri)) read.blame(invalid('card_uri'));
}

/** Whether there is the card that a post shows, if it shows one. */
export const hasCard = (account: ModelAccount, uri: unknown): boolean =>
  typeof uri !== 'string' || account.alive('CARD').some(({ id }) => uri === `card://${id}`);

/** Whether the minute of a scheduled post has come. */
export const isDue = ({ scheduled_status, scheduled_at }: Fields, now: number): boolean =>
  scheduled_status === 'SCHEDULED' && Date.parse(String(scheduled_at)) <= now;

/** What a request for one of them does. */
export function changePlain(circumstances: Circumstances, id: string | undefined, params: RawParams): Decision {
  const { account, kind, now } = circumstances;
  const { fixed, said, added, check, fits, locked } = PLAIN[kind as PlainKind];
  const read = new Reading(params, id !== undefined);
  const sent = { ...(id === undefined && { ...fixed?.(read), ...added?.(account) }), ...said?.(read) };
  const of = id === undefined ? undefined : account.find(kind, id);
  if (id !== undefined && !of) {
    if (fits || read.problems.length === 0) read.blame(unknown(KINDS[kind].id, KINDS[kind].unknown));
    return { problems: read.problems };
  }
  const changed = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const fields = { ...of?.fields, ...changed };
  const closed = of && locked?.(of.fields, now);
  if (closed) read.blame(closed);
  else check?.(read, fields, circumstances, of);
  return read.problems.length > 0 ? { problems: read.problems } : { fields, of };
}

/** What the service shows of it beside its fields. */
export const shownOf = (resource: Resource): Fields => PLAIN[resource.kind as PlainKind]?.shown?.(resource) ?? {};
