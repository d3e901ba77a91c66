import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { present, presenterWithout } from '../../common/http/answers/present.js';
import { DECIMAL_ID, ID, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { AB_TESTS, groupsOf, TESTED_ENTITIES, type AbTest, type TestedEntity } from './ab-test.entity.js';
import { sizeText, statusAt, TEST_STATUSES, type TestStatus } from './ab-test.rules.js';

const TEXT = { type: String, nullable: true } as const;

/** A campaign or line item of a test. */
class TestedEntityView {
  /** The campaign or line item. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** Its account. */
  @ApiProperty(ID) @Unescaped() account_id: string;
}

/** A group of users. */
class UserGroupView {
  /** The id, for changes of the group. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** The name. */
  @ApiProperty(TEXT) name: string | null;
  /** The description. */
  @ApiProperty(TEXT) description: string | null;
  /** The share of all users, in percent. */
  @ApiProperty({ example: '50.0' }) @Unescaped() size: string;
  /** The campaigns or line items that the group sees. */
  @ApiProperty({ ...ID, isArray: true }) @Unescaped() entity_ids: string[];
}

/** A user who changed a test. */
class TestUserView {
  /** The user. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** The username; null for a deleted user. */
  @ApiProperty(TEXT) username: string | null;
}

export class AbTestView extends ResourceView {
  /** The name. */
  @ApiProperty(TEXT) name: string | null;
  /** The description. */
  @ApiProperty(TEXT) description: string | null;
  /** When the test begins. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** When it ends. */
  @ApiProperty(TIME) @Unescaped() end_time: string;
  /** What the groups see. */
  @ApiProperty(enumSchema(TESTED_ENTITIES)) @Unescaped() entity_type: TestedEntity;
  /** Whether the test is to come, live or over. */
  @ApiProperty(enumSchema(TEST_STATUSES)) @Unescaped() status: TestStatus;
  /** The campaigns or line items of all groups. */
  @ApiProperty({ type: TestedEntityView, isArray: true }) entities: TestedEntityView[];
  /** The groups of users. */
  @ApiProperty({ type: UserGroupView, isArray: true }) user_groups: UserGroupView[];
  /** Who created the test. */
  @ApiProperty({ type: TestUserView }) created_by: TestUserView;
  /** Who changed it last. */
  @ApiProperty({ type: TestUserView }) updated_by: TestUserView;
}

/** A test as a request sees it: at a time, with the names of users. */
export interface SeenAbTest {
  test: Row<AbTest>;
  now: Date;
  usernames: ReadonlyMap<string, string>;
}

export const presentAbTest = ({ test, now, usernames }: SeenAbTest): AbTestView => {
  const user = (user_id: string) => ({ user_id, username: usernames.get(user_id) ?? null });
  return present(AbTestView, test, {
    status: statusAt(test, now),
    created_by: user(test.createdBy),
    updated_by: user(test.updatedBy),
    ...contentOf(test),
  });
};

const contentOf = (test: Row<AbTest>) => ({
  entities: test.entityIds.map((id) => ({ id, account_id: test.accountId })),
  user_groups: groupsOf(test).map(({ id, name, description, size, entityIds }) => ({
    id,
    name,
    description,
    size: sizeText(size),
    entity_ids: entityIds,
  })),
});

/** The history names who changed what; the status follows from the times. */
const RECORDED = { view: AbTestView, without: ['status', 'created_by', 'updated_by'] } as const;
const presentForHistory = presenterWithout(AbTestView, RECORDED.without);

recordAs(AB_TESTS, RECORDED, (test) => presentForHistory(test, contentOf(test)));
