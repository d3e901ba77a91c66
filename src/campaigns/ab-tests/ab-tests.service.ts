import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { UsersService } from '../../auth/credentials/users.service.js';
import { wireTime } from '../../common/db/postgres/stored-times.js';
import { allStillExist } from '../../common/db/query/preconditions.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, notFound } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { meaningOf, page } from '../../common/list/page.js';
import { newId } from '../../common/entity/ids.js';
import { CAMPAIGNS, Campaign } from '../entities/campaign.entity.js';
import { LINE_ITEMS, LineItem } from '../entities/line-item.entity.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { AB_TESTS, groupsOf, type AbTest, type TestedEntity, type UserGroup } from './ab-test.entity.js';
import type { SeenAbTest } from './ab-test.presenter.js';
import {
  groupProblems,
  sizeOf,
  statusAt,
  timeProblems,
  type PlannedTest,
  type Tested,
  type TestStatus,
} from './ab-test.rules.js';
import type { CreateAbTest, ListAbTests, UpdateAbTest, UpdateUserGroup } from './ab-tests.dto.js';

type TestRow = Row<AbTest>;
type TestUnit = UnitOfWork<AbTest>;
type Group = Omit<UserGroup, 'entities'> & { entityIds: string[] };
type Plan = Omit<PlannedTest, 'groups'> & { groups: readonly Group[] };

/** How many unknown entities the errors of one request name. */
const MAX_UNKNOWN = 40;

/** Lists, creates, updates and deletes A/B tests. */
@Injectable()
export class AbTestsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly users: UsersService,
  ) {}

  async list(account: ActingAccount, query: ListAbTests): Promise<Page<SeenAbTest>> {
    const tests = this.resources
      .of(account, AB_TESTS)
      .whereIn('id', query.ab_test_ids)
      .whereIn('createdBy', await this.creators(query))
      .whereStartsWith('name', query.q);
    const [from, until] = query.live_during ?? [];
    if (until !== undefined) tests.whereLessThan('startTime', justAfter(until)).whereMoreThan('endTime', from);
    // the time in the conditions of a status is another one on the next page
    const meaning = query.status && [...meaningOf(tests), query.status.toSorted(), query.with_deleted];
    if (query.status) ofStatus(tests, new Set(query.status), account.now().toISOString());
    const found = await page(tests, query, undefined, meaning);
    return found.map(await this.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<SeenAbTest> {
    const tests = this.resources.of(account, AB_TESTS);
    return this.seenOne(account, await one(tests, id, AB_TESTS.notFoundError(account), query));
  }

  async create(account: ActingAccount, request: Parsed<CreateAbTest>): Promise<SeenAbTest> {
    const test = await this.resources.changeLocked(account, AB_TESTS, [request], async (unit) => {
      await lockTests(unit);
      const known = request.known('start_time', 'end_time', 'entity_type', 'user_groups');
      const plan = known && isWhole(known) ? planOf(known, newGroups(known.user_groups, unit.now)) : undefined;
      const { name = null, description = null } = request.paramsUnless(plan ? await this.problemsOf(unit, plan) : []);
      return unit.create({
        accountId: account.id,
        name,
        description,
        ...columnsOf(plan!),
        createdBy: account.userId,
        updatedBy: account.userId,
      });
    });
    return this.seenOne(account, test);
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateAbTest>): Promise<SeenAbTest> {
    const test = await this.resources.changeLocked(account, AB_TESTS, [request], async (unit) => {
      await lockTests(unit);
      const stored = await unit.lockOne(id);
      const groups = changedGroups(stored, request.value('user_groups'), unit.now);
      const plan = planAfter(stored, request, groups?.groups ?? []);
      const texts = { name: request.value('name'), description: request.value('description') };
      const planned = columnsOf(plan);
      const after = { ...texts, ...planned };
      const changed = PARAMETERS.filter((name) => request.value(name) !== undefined && isChanged(name, stored, after));
      const problems = [...fixedProblems(changed, statusAt(stored, unit.now)), ...(groups?.problems ?? [])];
      const isMoved = changed.some((name) => !(name in texts));
      const isReadable = groups && request.known('start_time', 'end_time', 'entity_type', 'user_groups');
      if (isMoved && isReadable && problems.length === 0) problems.push(...(await this.problemsOf(unit, plan, stored)));
      request.paramsUnless(problems);
      if (changed.length === 0) return stored;
      return unit.update(id, { ...texts, ...(isMoved && planned), updatedBy: account.userId });
    });
    return this.seenOne(account, test);
  }

  async delete(account: ActingAccount, id: string): Promise<SeenAbTest> {
    return this.seenOne(account, await this.resources.delete(account, AB_TESTS, id));
  }

  /** The users whose tests a list has; undefined without a filter. */
  private async creators({ user_id, username }: ListAbTests): Promise<string[] | undefined> {
    if (username === undefined) return user_id === undefined ? undefined : [user_id];
    const user = await this.users.findByUsername(username);
    return user ? [user.id] : [];
  }

  /** The errors of a test with known parameters, under the lock of the tests of the account. */
  private async problemsOf(unit: TestUnit, plan: Plan, stored?: TestRow): Promise<ApiError[]> {
    const { account, db, now } = unit;
    const ids = [...new Set(plan.groups.flatMap(({ entityIds }) => entityIds))];
    const tested = await this.tested(unit, plan.entityType, ids);
    const { label } = plan.entityType === 'CAMPAIGN' ? CAMPAIGNS : LINE_ITEMS;
    const groupOf = (id: string) => plan.groups.findIndex(({ entityIds }) => entityIds.includes(id));
    const isLive = stored !== undefined && statusAt(stored, now) === 'LIVE';
    // what was deleted since a test began does not keep it from ending
    const known = new Set(tested.map(({ id }) => id));
    const unknown = isLive ? [] : ids.filter((id) => !known.has(id));
    const others = await this.resources.of(account, AB_TESTS, db).arrayOverlaps('entityIds', ids).getMany();
    const busy = others
      .filter(({ id }) => id !== stored?.id)
      .flatMap(({ id, entityIds }) => {
        const theirs = new Set(entityIds);
        return ids.filter((each) => theirs.has(each)).map((each) => inTest(each, id));
      });
    return [
      ...unknown
        .slice(0, MAX_UNKNOWN)
        .map((id) => notFound(label, `user_groups[${groupOf(id)}].entity_ids`, id, account.id)),
      ...busy,
      ...timeProblems(plan, tested, now, isLive),
      ...(isLive ? [] : groupProblems(plan, tested, await this.ofCampaign(unit, plan.entityType, tested))),
    ];
  }

  /** The tested entities that exist, and still exist when the test is stored. */
  private async tested(unit: TestUnit, type: TestedEntity, ids: readonly string[]): Promise<Tested[]> {
    const { account, db } = unit;
    if (type === 'LINE_ITEM') {
      const found = [...(await this.items.byId(account, ids, db)).values()];
      unit.require(...allStillExist(LineItem, found));
      return found;
    }
    const found = await this.resources.of(account, CAMPAIGNS, db).whereIn('id', ids).getMany();
    unit.require(...allStillExist(Campaign, found));
    return found.map((campaign) => ({ ...campaign, campaignId: campaign.id }));
  }

  /** The line items of the campaign of the first tested one that may serve. */
  private async ofCampaign(unit: TestUnit, type: TestedEntity, [first]: readonly Tested[]): Promise<string[]> {
    if (type === 'CAMPAIGN' || !first) return [];
    const items = this.items
      .shown(unit.account, unit.db)
      .where('campaignId', first.campaignId)
      .whereNot('entityStatus', 'DRAFT');
    return (await items.getMany()).map(({ id }) => id);
  }

  private async seenOne(account: ActingAccount, test: TestRow): Promise<SeenAbTest> {
    return (await this.seen(account, [test]))(test);
  }

  /** What requests see of tests: the usernames of all of them are read at once. */
  private async seen(account: ActingAccount, tests: readonly TestRow[]): Promise<(test: TestRow) => SeenAbTest> {
    const ids = new Set(tests.flatMap(({ createdBy, updatedBy }) => [createdBy, updatedBy]));
    const users = ids.size > 0 ? await this.users.findByIds([...ids], account.db) : [];
    const usernames = new Map(users.map(({ id, username }) => [id, username]));
    const now = account.now();
    return (test) => ({ test, now, usernames });
  }
}

/** Of two tests with the same entity, one waits for the other and finds it. */
const lockTests = (unit: TestUnit): Promise<void> => unit.lockName(`ab_tests of ${unit.account.id}`);

const justAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

/** Keeps the tests that have one of these statuses at a time. */
function ofStatus(tests: Rows<AbTest>, statuses: ReadonlySet<string>, now: string): void {
  const after = justAfter(now);
  const ways = {
    SCHEDULED: (rows: Rows<AbTest>) => rows.whereMoreThan('startTime', now),
    LIVE: (rows: Rows<AbTest>) => rows.whereLessThan('startTime', after).whereMoreThan('endTime', now),
    COMPLETED: (rows: Rows<AbTest>) => rows.whereLessThan('endTime', after),
  };
  tests.whereAny(...Object.entries(ways).flatMap(([status, way]) => (statuses.has(status) ? [way] : [])));
}

type Known = Pick<CreateAbTest, 'start_time' | 'end_time' | 'entity_type'>;

const isWhole = (known: Partial<Known>): known is Known => known.start_time !== undefined;

const planOf = ({ start_time, end_time, entity_type }: Known, groups: readonly Group[]): Plan => ({
  startTime: start_time,
  endTime: end_time,
  entityType: entity_type,
  groups,
});

/** A test after an update, as far as the request is readable. */
const planAfter = (stored: TestRow, request: Parsed<UpdateAbTest>, groups: readonly Group[]): Plan => ({
  startTime: timeAfter(stored.startTime, request.value('start_time')),
  endTime: timeAfter(stored.endTime, request.value('end_time')),
  entityType: request.value('entity_type') ?? stored.entityType,
  groups,
});

/** Responses have whole seconds: a time with the same ones keeps the text that the database wrote. */
const timeAfter = (stored: string, sent = stored): string => (wireTime(sent) === wireTime(stored) ? stored : sent);

const columnsOf = ({ groups, ...times }: Plan) => ({
  ...times,
  entityIds: groups.flatMap(({ entityIds }) => entityIds),
  userGroups: groups.map(({ entityIds, ...group }) => ({ ...group, entities: entityIds.length })),
});

const newGroups = (groups: readonly UpdateUserGroup[], now: Date): Group[] =>
  groups.map(({ name = null, description = null, size, entity_ids }) => ({
    id: newId(now),
    name,
    description,
    size: sizeOf(size!),
    entityIds: entity_ids!,
  }));

/** The groups after an update: others, or the stored ones with changes. */
function changedGroups(stored: TestRow, changes: readonly UpdateUserGroup[] = [], now: Date) {
  const groups: Group[] = groupsOf(stored).map(({ entities: _, ...group }) => group);
  const added = changes.filter(({ id }) => id === undefined);
  // the parameter itself is wrong then
  if (added.length > 0 && added.length < changes.length) return undefined;
  if (added.length > 0) return { groups: newGroups(changes, now), problems: [] };
  const problems = changes
    .filter(({ id }) => !groups.some((group) => group.id === id))
    .map(({ id }) => invalid('user_groups', `The test has no group ${id}`, { value: id }));
  const changed = groups.map((group) => {
    const change = changes.find(({ id }) => id === group.id);
    if (!change) return group;
    const {
      name = group.name,
      description = group.description,
      size,
      entity_ids: entityIds = group.entityIds,
    } = change;
    return { id: group.id, name, description, size: size === undefined ? group.size : sizeOf(size), entityIds };
  });
  return { groups: changed, problems };
}

/** The columns of each parameter of an update. */
const COLUMNS = {
  name: ['name'],
  description: ['description'],
  start_time: ['startTime'],
  end_time: ['endTime'],
  entity_type: ['entityType'],
  user_groups: ['userGroups', 'entityIds'],
} as const satisfies Record<keyof UpdateAbTest, readonly (keyof TestRow)[]>;
type Parameter = keyof typeof COLUMNS;
const PARAMETERS = Object.keys(COLUMNS) as Parameter[];

const isChanged = (name: Parameter, stored: TestRow, after: Partial<TestRow>): boolean =>
  COLUMNS[name].some((column) => !isDeepStrictEqual(after[column], stored[column]));

/** The errors of changed fields that a test which has begun keeps. */
const fixedProblems = (changed: readonly Parameter[], status: TestStatus): ApiError[] =>
  changed
    .filter((name) => status === 'COMPLETED' || (status === 'LIVE' && name !== 'end_time'))
    .map((name) => invalid(name, `setting ${name} is not allowed`, { details: `the test is ${status}` }));

const inTest = (entity: string, test: string) =>
  invalid('user_groups', `${entity} is in the A/B test ${test} already`, {
    value: entity,
    details: 'delete that test first',
  });
