import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import {
  ActorId,
  InSnapshots,
  SpecialReference,
  TextColumn,
  type ContentProblem,
} from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { isObject } from '../../common/values/is-object.js';

export const TESTED_ENTITIES = closedSet('AbTestEntityType', ['CAMPAIGN', 'LINE_ITEM']);
export type TestedEntity = (typeof TESTED_ENTITIES)[number];

/** All users, in hundredths of a percent: a size of 5,000 is half of them. */
export const ALL_USERS = 10_000;

/** Users who see some of the tested entities and none of the others. */
export interface UserGroup {
  id: string;
  name: string | null;
  description: string | null;
  /** Its share of all users, in hundredths of a percent. */
  size: number;
  /** The number of its entities: groups divide `entityIds` in their order. */
  entities: number;
}

/** Campaigns or line items that are shown to separate groups of users, to compare them. */
@Entity('ab_tests')
@InSnapshots()
@Index('ab_tests_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
export class AbTest extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn({ nullable: true }) name: string | null;
  @TextColumn({ nullable: true }) description: string | null;
  @TimestampColumn() startTime: Date;
  @TimestampColumn() endTime: Date;
  @WordColumn(TESTED_ENTITIES) entityType: TestedEntity;
  /** The entities of all groups, one group after the other. */
  @IdColumn({ array: true })
  @SpecialReference('campaigns or line items of the account, by `entityType`')
  entityIds: string[];
  @Column({ type: 'json' }) userGroups: UserGroup[];
  @IdColumn() @ActorId() createdBy: string;
  @IdColumn() @ActorId() updatedBy: string;
}

export const AB_TESTS = defineResource<AbTest>({
  entity: AbTest,
  name: 'AB_TEST',
  label: 'A/B Test',
  parameter: 'ab_test_id',
});

/** Groups, and the entities that they divide. */
export interface Grouped<G> {
  entityIds: readonly string[];
  userGroups: readonly G[];
}

/** The groups with their entities. */
export function groupsOf<G extends Pick<UserGroup, 'entities'>>({ entityIds, userGroups }: Grouped<G>) {
  let first = 0;
  return userGroups.map((group) => ({ ...group, entityIds: entityIds.slice(first, (first += group.entities)) }));
}

/** Why `userGroups` are not what a test stores; undefined if they are. */
export function userGroupsProblem({ userGroups, entityIds }: Record<string, unknown>): ContentProblem | undefined {
  const isText = (value: unknown) => value === null || typeof value === 'string';
  const isGroup = (group: unknown): group is UserGroup =>
    isObject(group) &&
    [group.id, group.name, group.description].every(isText) &&
    [group.size, group.entities].every((each) => Number.isInteger(each) && (each as number) > 0);
  const sum = (groups: UserGroup[], of: 'size' | 'entities') => groups.reduce((total, group) => total + group[of], 0);
  const isValid =
    Array.isArray(userGroups) &&
    userGroups.every(isGroup) &&
    sum(userGroups, 'size') === ALL_USERS &&
    sum(userGroups, 'entities') === (entityIds as string[]).length;
  if (isValid) return undefined;
  return { column: 'userGroups', message: 'Expected groups of all users that divide the entities' };
}
