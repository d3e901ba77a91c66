import { exclusive, invalid, missing } from '../../common/errors/catalogue.js';
import { toTime } from '../../common/http/params/conversions.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  DecimalId,
  EnumList,
  Field,
  Id,
  Ids,
  list,
  listSchema,
  OneOf,
  Text,
  text,
  time,
  Timestamp,
  type FieldRules,
} from '../../common/http/params/fields.js';
import { nested, part, partList } from '../../common/http/params/parts.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AbTest, TESTED_ENTITIES, type TestedEntity } from './ab-test.entity.js';
import { GROUPS, TEST_STATUSES, type TestStatus } from './ab-test.rules.js';

const MAX_ENTITIES = 200;
const NAME = { nullable: true, max: 255 } as const;
const DESCRIPTION = { nullable: true, max: 1024 } as const;

const SIZE = {
  pattern: /^(?:(?:[1-9]|[1-8]\d|9[0-8])(?:\.\d{1,2})?|99(?:\.0{1,2})?)$/,
  what: 'a percentage from "1.00" to "99.00" with at most two decimals',
};
// longer than any size, so that 100.00 is told which sizes exist
const size = text({ max: 20, matching: SIZE });

/** The share of all users, in percent. */
const Size = (rules: FieldRules = {}) =>
  Field({ ...size, convert: (given) => (typeof given === 'number' ? String(given) : given) }, rules, {
    type: String,
    pattern: SIZE.pattern.source,
    example: '50.00',
  });

/** A group of users. */
export class CreateUserGroup {
  @Ids({ max: MAX_ENTITIES, distinct: false }) entity_ids: string[];
  @Size() size: string;
  @Text(NAME) name?: string | null;
  @Text(DESCRIPTION) description?: string | null;
}

const entitiesOfNew = ({ id, entity_ids }: Pick<UpdateUserGroup, 'id' | 'entity_ids'>, at: (name: string) => string) =>
  id === undefined && entity_ids === undefined ? missing(at('entity_ids')) : undefined;
const sizeOfNew = ({ id, size: given }: Pick<UpdateUserGroup, 'id' | 'size'>, at: (name: string) => string) =>
  id === undefined && given === undefined ? missing(at('size')) : undefined;

/** A group to change, by its id, or one that replaces the groups together with others without an id. */
@Rule(['id', 'entity_ids'], entitiesOfNew)
@Rule(['id', 'size'], sizeOfNew)
export class UpdateUserGroup {
  @Id({ optional: true }) id?: string;
  @Ids({ optional: true, max: MAX_ENTITIES, distinct: false }) entity_ids?: string[];
  @Size({ optional: true }) size?: string;
  @Text(NAME) name?: string | null;
  @Text(DESCRIPTION) description?: string | null;
}

const TEXT = { type: 'string', nullable: true } as const;
const GROUP = {
  entity_ids: {
    description: 'The campaigns or line items that the group sees.',
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: MAX_ENTITIES,
  },
  size: {
    description: 'The share of all users, in percent.',
    type: 'string',
    pattern: SIZE.pattern.source,
    example: '50.00',
  },
  name: { description: 'The name.', ...TEXT, maxLength: NAME.max },
  description: { description: 'The description.', ...TEXT, maxLength: DESCRIPTION.max },
} as const;
const groupsSchema = (properties: object, required: string[], minItems: number) =>
  ({ type: 'array', items: { type: 'object', properties, required }, minItems, maxItems: GROUPS.max }) as never;

const wrongGroups = ({ user_groups = [] }: Pick<UpdateAbTest, 'user_groups'>) => {
  const known = user_groups.filter(({ id }) => id !== undefined).length;
  if (known > 0 && known < user_groups.length)
    return invalid('user_groups', 'Either all user_groups have an id, to change them, or none, to replace all');
  const repeated = user_groups.find(({ id }, i) => id !== undefined && user_groups.findIndex((e) => e.id === id) < i);
  if (repeated) return invalid('user_groups', `The group ${repeated.id} is in user_groups more than once`);
  return known === 0 && user_groups.length === 1
    ? invalid('user_groups', `A minimum of ${GROUPS.min} items must be provided for user_groups`)
    : undefined;
};

// an unreadable time is no empty one
const liveTime = { ...time(), convert: (given: unknown) => toTime(false)(given) || 'unreadable' };

const isOneUser = ({ user_id, username }: Pick<ListAbTests, 'user_id' | 'username'>) =>
  user_id !== undefined && username !== undefined ? exclusive('user_id', 'username') : undefined;

const inOrder = ({ live_during }: Pick<ListAbTests, 'live_during'>) =>
  live_during && Date.parse(live_during[0]) > Date.parse(live_during[1])
    ? invalid('live_during', 'The second time of live_during must not be before the first', { value: live_during })
    : undefined;

@Rule(['user_id', 'username'], isOneUser)
@Rule(['live_during'], inOrder)
export class ListAbTests extends ListQuery(AbTest, {
  sortable: ['created_at', 'updated_at', 'deleted', 'name', 'start_time', 'end_time'],
}) {
  /** Filters by A/B test ids. */
  @Ids() ab_test_ids?: string[];
  /** Two times: only tests that are live at some time between them. */
  @Field(
    list(liveTime, { min: 2, max: 2, distinct: false }),
    { optional: true },
    {
      ...listSchema({ type: 'string', format: 'date-time' }, { min: 2, max: 2 }),
    },
  )
  live_during?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 80 }) q?: string;
  /** Filters by status. */
  @EnumList(TEST_STATUSES, { optional: true }) status?: TestStatus[];
  /** Filters by the user who created the test. */
  @DecimalId({ optional: true }) user_id?: string;
  /** The same by username. Not allowed with `user_id`. */
  @Text({ optional: true, max: 50 }) username?: string;
}

@Example({
  name: 'Videos or followers',
  start_time: '{tomorrow}',
  end_time: '2027-08-01T00:00:00Z',
  entity_type: 'CAMPAIGN',
  user_groups: [
    { entity_ids: ['{preroll_campaign_id}'], size: '50.00' },
    { entity_ids: ['{followers_campaign_id}'], size: '50.00' },
  ],
})
export class CreateAbTest {
  /** The name. */
  @Text(NAME) name?: string | null;
  /** The description. */
  @Text(DESCRIPTION) description?: string | null;
  /** When the test begins: in the future and in the flights of its entities. */
  @Timestamp() start_time: string;
  /** When it ends: at least 1 day later, for campaigns of apps 5 days, and in the flights of its entities. */
  @Timestamp() end_time: string;
  /** What the groups see: campaigns, or all line items of one campaign. */
  @OneOf(TESTED_ENTITIES) entity_type: TestedEntity;
  /** The groups, which together are all users. For line items at most 5, of equal sizes and with one each. */
  @Field(nested(partList(part(CreateUserGroup), GROUPS)), {}, groupsSchema(GROUP, ['entity_ids', 'size'], GROUPS.min))
  user_groups: CreateUserGroup[];
}

@Example({ name: 'Three videos, renamed' })
@Rule(['user_groups'], wrongGroups)
export class UpdateAbTest {
  /** The name. Null removes it. */
  @Text(NAME) name?: string | null;
  /** The description. Null removes it. */
  @Text(DESCRIPTION) description?: string | null;
  /** When the test begins. */
  @Timestamp({ optional: true }) start_time?: string;
  /** When it ends: the only field of a live test that can change. */
  @Timestamp({ optional: true }) end_time?: string;
  /** What the groups see. */
  @OneOf(TESTED_ENTITIES, { optional: true }) entity_type?: TestedEntity;
  /** Groups with ids change those; groups without ids replace all. */
  @Field(
    nested(partList(part(UpdateUserGroup), { min: 1, max: GROUPS.max })),
    { optional: true },
    groupsSchema({ id: { description: 'The group to change.', type: 'string' }, ...GROUP }, [], 1),
  )
  user_groups?: UpdateUserGroup[];
}
